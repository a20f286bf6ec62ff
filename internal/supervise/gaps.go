package supervise

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// gaps keeps what must not be charged as silence: the wrapper was stopped,
// starved or blind. It is the same rule as a monitor's.
type gaps struct {
	interval time.Duration
	looked   bool
	last     time.Duration
	off      []gap
}

// gap is time on the monotonic clock.
type gap struct{ from, to time.Duration }

// look notes a look. What exceeds twice the interval since the last one is not
// charged.
func (g *gaps) look(mono time.Duration) {
	if from := g.last + 2*g.interval; g.looked && mono > from {
		g.off = append(g.off, gap{from, mono})
	}
	g.looked, g.last = true, mono
}

// blind says that the look at mono saw nothing: nothing is charged until the
// next one.
func (g *gaps) blind(mono time.Duration) { g.last = mono - 2*g.interval }

// limit is the Charge of a store.Ask.
func (g *gaps) limit(anchor time.Duration, now cursor.Instant) time.Duration {
	kept := g.off[:0]
	var off time.Duration
	for _, p := range g.off {
		if p.to <= anchor {
			continue
		}
		kept = append(kept, p)
		off += p.to - max(p.from, anchor)
	}
	g.off = kept
	if off == 0 {
		return 0
	}
	return max(now.Mono-anchor-off, 1)
}
