package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Ask says which runs a look wants to see. Whoever has rows after Since is
// among them; the newest row that the last look saw makes a look cost what
// changed since.
type Ask struct {
	Since int64
	All   bool // every run there is
	Live  bool // every run that has not ended
	// Untold is every run that has ended and of whose end the log does not tell.
	// It costs a seek for each run that ended.
	Untold bool
	Runs   []string // these runs, and none because of Since
	// Due appends to runs those that are due at now, an instant on the awake
	// clock. It may be nil.
	Due func(now time.Time, runs []string) []string
	// Charge says how much of the time between anchor, the monotonic reading
	// from which the clock counts, and now may be charged at most: 0 for all of
	// it. It may be nil.
	Charge func(anchor time.Duration, now cursor.Instant) time.Duration
}

// Found is what a look sees: one snapshot of the trail.
type Found struct {
	Clock  cursor.Clock // at the instant of the look
	Newest int64        // the newest row of the log in the snapshot
	Runs   []Sighting   // what was asked for, in the order of the ids
}

// Look reads what a look needs, all of it true at one instant. It costs a
// constant when nothing changed and nothing is due, and grows with the runs
// that are.
func (r *Reader) Look(ctx context.Context, ask Ask) (Found, error) {
	var (
		found Found
		gate  gate
	)
	ask = gate.guard(ask)
	err := r.view(ctx, func(c *conn) error {
		var err error
		// The id is read before the instant: what has a larger one is younger.
		if found.Newest, err = c.newest(); err != nil {
			return err
		}
		if found.Clock, err = c.clock(r.opt.now(), ask.Charge); err != nil {
			return err
		}
		// Who has seen rows that are not there knows nothing of those that are.
		if ask.All || ask.Runs == nil && ask.Since > found.Newest {
			found.Runs, err = c.sightings(found.Clock, nil)
			return err
		}
		runs := ask.Runs
		if runs == nil {
			runs, err = c.asked(ask, found)
		}
		if err != nil || len(runs) == 0 {
			return err
		}
		found.Runs, err = c.sightings(found.Clock, runs)
		return err
	})
	if err != nil {
		gate.shut()
		return Found{}, fmt.Errorf("look: %w", err)
	}
	return found, nil
}

// gate keeps a look that was given up, and may still be reading, from calling
// back whoever asked for it: that is for one goroutine, and it has gone on.
type gate struct {
	mu   sync.Mutex
	left bool
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.left = true
}

// guard is ask with what it calls behind the gate.
func (g *gate) guard(ask Ask) Ask {
	if due := ask.Due; due != nil {
		ask.Due = func(now time.Time, runs []string) []string {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.left {
				return runs
			}
			return due(now, runs)
		}
	}
	if charge := ask.Charge; charge != nil {
		ask.Charge = func(anchor time.Duration, now cursor.Instant) time.Duration {
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.left {
				return 0
			}
			return charge(anchor, now)
		}
	}
	return ask
}

// asked names the runs that a look wants to see, each once.
func (c *conn) asked(ask Ask, found Found) (runs []string, err error) {
	if ask.Due != nil {
		runs = ask.Due(found.Clock.Now(), nil)
	}
	if found.Newest > ask.Since {
		if runs, err = c.names("changed_since", runs, arg{"event", ask.Since}, arg{"newest", found.Newest}); err != nil {
			return nil, err
		}
	}
	if ask.Live {
		if runs, err = c.names("live", runs); err != nil {
			return nil, err
		}
	}
	if ask.Untold {
		if runs, err = c.names("untold", runs); err != nil {
			return nil, err
		}
	}
	return once(runs), nil
}
