package replay

import (
	"math"
	"time"

	"github.com/progmon/progmon/cursor"
)

// clock is the injected clock: what the tape's machine would read, and what
// the looks of its monitor would have charged. All its readings are durations
// since the tape's zero.
type clock struct {
	interval time.Duration

	slept      time.Duration // in the suspends that are over
	asleep     bool
	sleepAt    time.Duration // the present suspend
	sleepUntil time.Duration
	gapUntil   time.Duration // the loop does not run before this
	broken     bool          // since the last look there was a suspend or a gap
	wallStep   time.Duration // by how much the wall clock has jumped in all
	blind      string        // why nothing can be read; empty is sight

	looked    bool          // there was a look
	lookAt    time.Duration // the last one, on the tape
	lookMono  time.Duration // on the monotonic clock
	lookAwake time.Duration // on the awake clock, which it charged up to here
	lookBlind string        // why that look was blind, empty when it saw

	looks, blindLooks, missed int64
}

// mono is the monotonic clock at an instant of the tape: it stands still while
// the machine sleeps.
func (c *clock) mono(at time.Duration) time.Duration {
	if c.asleep {
		at -= min(at, c.sleepUntil) - c.sleepAt
	}
	return at - c.slept
}

// wallMS is what the wall clock shows, in milliseconds.
func (c *clock) wallMS(at time.Duration) int64 { return (at + c.wallStep).Milliseconds() }

// slot is the first slot at or after an instant at which the loop runs.
func (c *clock) slot(at time.Duration) time.Duration {
	at = max(at, c.gapUntil)
	if c.asleep {
		at = max(at, c.sleepUntil)
	}
	return (at + c.interval - 1) / c.interval * c.interval
}

// stop keeps the loop from running until an instant.
func (c *clock) stop(until time.Duration) {
	c.broken, c.gapUntil = true, max(c.gapUntil, until)
}

// suspend puts the machine to sleep. A sleep inside a sleep makes it longer.
func (c *clock) suspend(at, length time.Duration) {
	c.broken = true
	if c.asleep {
		c.sleepUntil = max(c.sleepUntil, at+length)
		return
	}
	c.asleep, c.sleepAt, c.sleepUntil = true, at, at+length
}

// wake ends a sleep whose time has come, or that a worker's row contradicts.
func (c *clock) wake(at time.Duration, worked bool) {
	if c.asleep && (worked || at >= c.sleepUntil) {
		c.slept += min(at, c.sleepUntil) - c.sleepAt
		c.asleep = false
	}
}

// pass makes the looks at the slots before an instant that found nothing to
// do: nothing had happened and no verdict was due.
func (c *clock) pass(at time.Duration) {
	last := (at - 1) / c.interval * c.interval
	if at <= 0 || !c.looked || c.broken || last <= c.lookAt {
		return
	}
	mono := c.mono(last)
	if c.lookBlind == "" {
		c.lookAwake += mono - c.lookMono
	}
	c.count(int64((last-c.lookAt)/c.interval), c.lookBlind != "")
	c.lookAt, c.lookMono = last, mono
}

func (c *clock) count(n int64, blind bool) {
	c.looks += n
	if blind {
		c.blindLooks += n
	}
}

// look makes the look at an instant, and gives the awake clock of the look
// before, than which nothing that is new can be older.
func (c *clock) look(at time.Duration) (before time.Duration) {
	c.wake(at, false)
	c.pass(at)
	mono := c.mono(at)
	before = c.lookAwake
	switch {
	case !c.looked:
		before, c.lookAwake = math.MinInt64, mono
	case c.lookBlind == "":
		c.lookAwake += min(mono-c.lookMono, 2*c.interval)
	}
	if c.looked {
		c.missed += max(int64((at-c.lookAt-1)/c.interval), 0)
	}
	c.count(1, c.blind != "")
	c.looked, c.broken = true, false
	c.lookAt, c.lookMono, c.lookBlind = at, mono, c.blind
	return before
}

// now is the instant of the last look on the awake clock.
func (c *clock) now() time.Time { return cursor.At(c.lookAwake) }

// place says where a row lies on the awake clock, given the monotonic clock at
// it: as long before the last look as it was, and not before the look before.
func (c *clock) place(mono, before time.Duration) time.Time {
	return cursor.At(max(c.lookAwake-(c.lookMono-mono), before))
}
