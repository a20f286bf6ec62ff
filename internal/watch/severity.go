package watch

import (
	"cmp"
	"slices"

	"github.com/progmon/progmon/policy"
)

// order of the states for a tired person: what needs them most comes first.
var byNeed = [...]policy.State{
	policy.Blind, policy.Stuck, policy.Stalled, policy.Timeout, policy.Failed, policy.Degraded,
	policy.Waiting, policy.Starting, policy.Advancing, policy.Cancelled, policy.Done,
}

// Need says how much a state needs a person: the larger, the more. Blind is
// the loudest answer of all.
func Need(s policy.State) int {
	i := slices.Index(byNeed[:], s)
	if i < 0 {
		return 0
	}
	return len(byNeed) - i
}

// Worst is the one of two states that needs a person more.
func Worst(a, b policy.State) policy.State {
	if Need(b) > Need(a) {
		return b
	}
	return a
}

// Severity is the exit code of a state: 0 fine, 1 degraded, 2 stalled, stuck,
// timeout or failed, 3 blind.
func Severity(s policy.State) int {
	switch s {
	case policy.Blind:
		return 3
	case policy.Stuck, policy.Stalled, policy.Timeout, policy.Failed:
		return 2
	case policy.Degraded:
		return 1
	}
	return 0
}

// SortWorst puts the rows that need a person most first: by state, then by the
// longest silence, then by name.
func SortWorst(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(Need(b.Verdict.State), Need(a.Verdict.State)),
			cmp.Compare(b.Verdict.Silence, a.Verdict.Silence),
			cmp.Compare(a.Verdict.Reading.Run, b.Verdict.Reading.Run),
		)
	})
}
