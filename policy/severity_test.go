package policy

import "testing"

// TestEveryStateHasItsNeed: a state that is forgotten would be the least of all.
func TestEveryStateHasItsNeed(t *testing.T) {
	seen := map[int]State{}
	for _, s := range States() {
		n := s.Need()
		if n == 0 || seen[n] != "" {
			t.Errorf("%s.Need() = %d, as %q", s, n, seen[n])
		}
		seen[n] = s
		if Worst(s, Blind) != Blind || Worst(Blind, s) != Blind || Worst("", s) != s {
			t.Errorf("%s is worse than blind, or no worse than nothing", s)
		}
	}
}
