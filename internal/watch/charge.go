package watch

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// pardon is awake time, between two readings of the monotonic clock, for which
// no run is charged with silence: this loop was starved, stopped or blind.
type pardon struct{ from, to time.Duration }

// charge keeps what must not be charged. A Clock counts from the last look on
// record, which may be another monitor's, or older than this loop's last look
// when looks cannot be recorded; so the pardons are kept apart from it and
// only those after that look are taken off.
type charge struct {
	interval time.Duration
	looked   bool           // this loop has looked
	last     cursor.Instant // its last look, blind or not
	pardons  []pardon
}

// look notes a look. What a gap between two looks exceeds twice the interval
// is pardoned, and all of it when the look before was blind.
func (c *charge) look(now cursor.Instant, wasBlind bool) {
	if c.looked && c.last.Boot == now.Boot {
		from := c.last.Mono + 2*c.interval
		if wasBlind {
			from = c.last.Mono
		}
		if now.Mono > from {
			c.pardons = append(c.pardons, pardon{from, now.Mono})
		}
	}
	c.looked, c.last = true, now
}

// limit is the most that may be charged at now when the clock counts from the
// monotonic reading anchor: 0 means all of it. It is the limit of
// cursor.NewClock.
func (c *charge) limit(anchor time.Duration, now cursor.Instant) time.Duration {
	var off time.Duration
	kept := c.pardons[:0]
	for _, p := range c.pardons {
		if p.to <= anchor {
			continue // a later look is on record: nothing before it is counted again
		}
		kept = append(kept, p)
		off += p.to - max(p.from, anchor)
	}
	c.pardons = kept
	if off == 0 {
		return 0
	}
	return max(now.Mono-anchor-off, 1)
}
