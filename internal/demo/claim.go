package demo

import (
	"fmt"
	"slices"
	"strings"
)

// heard is what watch said of one run, in order.
type heard struct {
	verdicts []string // "stalled: quiet"
	signals  []string // "stalled"
}

// broken are the claims of p that what was heard does not bear out, as
// sentences. None means that the demo may be believed.
func (p part) broken(h heard) []string {
	var all []string
	rest := h.verdicts
	for _, want := range p.says {
		at := slices.Index(rest, want)
		if at < 0 {
			all = append(all, fmt.Sprintf("%s was never said to be %q, or not in its turn", p.run, want))
			break
		}
		rest = rest[at+1:]
	}
	for _, said := range h.verdicts {
		if state, _, _ := strings.Cut(said, ":"); slices.Contains(p.never, state) {
			all = append(all, fmt.Sprintf("%s was said to be %q", p.run, said))
		}
	}
	if !slices.Equal(h.signals, p.signals) {
		all = append(all, fmt.Sprintf("%s was signalled %s, want %s", p.run, list(h.signals), list(p.signals)))
	}
	return all
}

func list(words []string) string {
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, ", ")
}
