package watch

import (
	"cmp"
	"slices"
)

// SortWorst puts the rows that need a person most first: by state, then by the
// longest silence, then by name.
func SortWorst(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(b.Verdict.State.Need(), a.Verdict.State.Need()),
			cmp.Compare(b.Verdict.Silence, a.Verdict.Silence),
			cmp.Compare(a.Verdict.Reading.Run, b.Verdict.Reading.Run),
		)
	})
}
