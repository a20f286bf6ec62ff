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
	if awake, ok := p.landmarks[event.n]; ok {
		return cursor.At(awake), true
	}
	return p.clock.Place(event.n, stamp.stamp())
}
