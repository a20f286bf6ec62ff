package store

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// clockState reads what the trail keeps of the awake clock for the boot of now.
//
// Where no look was made in this boot, the reading with which the trail was
// first opened for writing in it counts as one: what was in the log by then is
// at least as old as that, and the wall clock need not be asked.
func (c *conn) clockState(now cursor.Instant) (cursor.ClockState, error) {
	var s cursor.ClockState
	err := c.peek("clock", func(row []value) error {
		var here, firstWall, firstMono, firstEvent, lookWall, lookMono, lookAwake, lookEvent num
		fill([]cell{&here, &firstWall, &firstMono, &firstEvent, &lookWall, &lookMono, &lookAwake, &lookEvent}, row)
		switch {
		case here.n == 1:
			s.HasFirst = true
			s.First = cursor.Anchor{Wall: firstWall.stamp(), Mono: firstMono.length(), Event: firstEvent.n}
			if lookAwake.set {
				s.HasLook = true
				s.Look = cursor.Anchor{Wall: lookWall.stamp(), Mono: lookMono.length(), Event: lookEvent.n}
				s.Awake = lookAwake.length()
			}
		case lookAwake.set && !s.HasCarried:
			s.HasCarried, s.Carried, s.CarriedEvent = true, lookAwake.length(), lookEvent.n
		}
		return nil
	}, arg{"boot", now.Boot})
	if ahead := now.Mono + time.Minute; s.HasFirst && s.First.Mono > ahead || s.HasLook && s.Look.Mono > ahead {
		// A reading that this boot has not reached is none of it.
		s.First.Mono, s.Look.Mono = min(s.First.Mono, now.Mono), min(s.Look.Mono, now.Mono)
	}
	// No boot has been awake for longer than it lasted. What says so was not
	// left by a look, and would make every run silent for as long.
	s.Awake = min(s.Awake, s.Carried+s.Look.Mono)
	if s.HasFirst && !s.HasLook {
		s.HasLook, s.Look = true, s.First
		s.Awake = s.Carried + s.First.Mono
	}
	return s, err
}

// clock is the awake clock at now. charge, when not nil, is given the
// monotonic reading from which the clock counts and says how much of the time
// since may be charged at most, 0 for all of it.
func (c *conn) clock(now cursor.Instant, charge func(anchor time.Duration, now cursor.Instant) time.Duration) (cursor.Clock, error) {
	s, err := c.clockState(now)
	if err != nil {
		return cursor.Clock{}, err
	}
	limit := time.Duration(0)
	if charge != nil && s.HasLook {
		limit = charge(s.Look.Mono, now)
	}
	return cursor.NewClock(s, now, limit), nil
}
