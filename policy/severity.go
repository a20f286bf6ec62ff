package policy

import "slices"

// byNeed is the order of the states for a tired person: what needs them most
// comes first.
var byNeed = [...]State{
	Blind, Stuck, Stalled, Timeout, Failed, Degraded,
	Waiting, Starting, Advancing, Cancelled, Done,
}

// Need says how much a state needs a person: the larger, the more. Blind is
// the loudest answer of all. What is no state is 0.
func (s State) Need() int {
	i := slices.Index(byNeed[:], s)
	if i < 0 {
		return 0
	}
	return len(byNeed) - i
}

// Worst is the one of two states that needs a person more.
func Worst(a, b State) State {
	if b.Need() > a.Need() {
		return b
	}
	return a
}
