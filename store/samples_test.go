package store

import (
	"testing"
	"time"
)

// A landmark a second for a day, thinned at every look, still meets every
// window to within an eighth of it, with a few hundred rows.
func TestThinningAgainAndAgain(t *testing.T) {
	var marks []landmark
	for at := time.Duration(0); at < 30*time.Hour; at += 5 * time.Second {
		marks = append(marks, landmark{int64(at / time.Second), at})
		keep := map[int64]bool{}
		for _, event := range thin(marks, at) {
			keep[event] = true
		}
		kept := marks[:0]
		for _, m := range marks {
			if keep[m.event] {
				kept = append(kept, m)
			}
		}
		if marks = kept; len(marks) > 300 {
			t.Fatalf("after %v there are %d landmarks", at, len(marks))
		}
	}
	now := 30 * time.Hour
	for _, window := range []time.Duration{time.Minute, 15 * time.Minute, time.Hour, 7 * time.Hour, 24 * time.Hour} {
		edge := now - window
		var at time.Duration = -1
		for _, m := range marks {
			if m.awake <= edge {
				at = m.awake
			}
		}
		if off := edge - at; at < 0 || off > window/7+5*time.Second {
			t.Errorf("the edge of a window of %v is met %v too early", window, off)
		}
	}
}
