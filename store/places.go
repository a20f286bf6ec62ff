package store

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// places knows where events lie on the awake clock: by a landmark that a look
// has left, else by what the clock makes of the event's own stamp.
type places struct {
	clock     cursor.Clock
	landmarks map[int64]time.Duration
}

func (p places) of(event, stamp num) (at time.Time, sure bool) {
	if !event.set {
		return time.Time{}, true
	}
	if awake, ok := p.landmark(event.n); ok {
		return awake, true
	}
	return p.clock.Place(event.n, stamp.stamp())
}

// landmark is where a look has placed the event. One that lies ahead of the
// clock is none, or the run would not be silent until the clock is there; and
// none is older than the clock allows.
func (p places) landmark(event int64) (at time.Time, ok bool) {
	awake, ok := p.landmarks[event]
	if at = cursor.At(awake); !ok || at.After(p.clock.Now()) {
		return time.Time{}, false
	}
	if oldest := p.clock.Oldest(event); at.Before(oldest) {
		at = oldest
	}
	return at, true
}

// ahead reports that nothing but a stamp in the future says where in its
// bracket the event lies.
func (p places) ahead(event, stamp num) bool {
	if _, ok := p.landmark(event.n); ok || !event.set {
		return false
	}
	return p.clock.Ahead(event.n, stamp.stamp())
}
