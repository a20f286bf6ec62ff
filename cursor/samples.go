package cursor

import (
	"sort"
	"time"
)

// mostSamples bounds what a trail remembers of where it stood. Beyond it every
// second sample of the older half is let go.
const mostSamples = 1 << 14

// samples are where a run stood, one for each change, oldest first.
type samples []Sample

// sample notes where the run stands at an instant of the awake clock.
func (t *Trail) sample(at time.Time) {
	if at.IsZero() {
		return // only the Standing is wanted
	}
	now := Sample{At: at, Position: t.s.Position, Total: t.bound().N}
	s := t.samples
	if n := len(s); n > 0 {
		switch last := &s[n-1]; {
		case last.Position == now.Position && last.Total == now.Total:
			return
		case !last.At.Before(at):
			last.Position, last.Total = now.Position, now.Total
			return
		}
	}
	if len(s) >= mostSamples {
		kept := s[:0]
		for i, each := range s {
			if i == 0 || i >= len(s)/2 || i%2 == 1 {
				kept = append(kept, each)
			}
		}
		s = kept
	}
	t.samples = append(s, now)
}

// forget lets go of what lies before the older edge of window, but for the last
// of it: where the run stood at that edge.
func (s *samples) forget(now time.Time, window time.Duration) {
	edge := now.Add(-window)
	beyond := sort.Search(len(*s), func(i int) bool { return (*s)[i].At.After(edge) })
	if beyond > 64 {
		*s = append((*s)[:0], (*s)[beyond-1:]...)
	}
}
