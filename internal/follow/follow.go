// Package follow reads the log to its end, and on as it grows.
package follow

import (
	"context"
	"time"

	"github.com/progmon/progmon/store"
)

// Source is what the log is read from: a store.Reader.
type Source interface {
	// Check returns nil, or says why the trail cannot be seen any more.
	Check(ctx context.Context) error
	// Changed reports whether anyone committed since the last call.
	Changed(ctx context.Context) (bool, error)
	// Events gives a page of the log.
	Events(ctx context.Context, filter store.EventFilter) ([]store.Event, error)
}

// page is how many rows are read at once.
const page = 1000

// Pace is how a log is followed. The zero Pace does not follow it.
type Pace struct {
	Interval time.Duration // between two looks for what was added
	For      time.Duration // for how long; 0 means until the context ends
}

// Log tells the rows that filter wants, a page at a time: those that are there,
// and with a pace those that are added too. It returns nil at the end of the
// log, when the time of the pace is over, or when filter.Limit rows were told;
// 0 is no limit. When nothing came for an interval it tells no rows, so that
// tell can find out that nobody listens. It returns the error of ctx, or says
// why the log cannot be read any more. last is the id of the last row told, or
// filter.Since.
func Log(ctx context.Context, log Source, filter store.EventFilter, pace Pace, tell func([]store.Event) error) (last int64, err error) {
	f := follower{log: log, filter: filter, left: filter.Limit, limited: filter.Limit > 0, tell: tell}
	if pace.Interval > 0 {
		err = f.follow(ctx, pace)
	} else {
		err = f.toTheEnd(ctx)
	}
	return f.filter.Since, err
}

type follower struct {
	log     Source
	filter  store.EventFilter
	limited bool
	left    int // rows that may still be told, when limited
	tell    func([]store.Event) error
}

// over reports whether as many rows were told as were wanted.
func (f *follower) over() bool { return f.limited && f.left == 0 }

// toTheEnd tells what is there.
func (f *follower) toTheEnd(ctx context.Context) error {
	for !f.over() {
		f.filter.Limit = page
		if f.limited {
			f.filter.Limit = min(f.left, page)
		}
		rows, err := f.log.Events(ctx, f.filter)
		if err != nil || len(rows) == 0 {
			return err
		}
		f.filter.Since = rows[len(rows)-1].ID
		f.left -= len(rows)
		if err := f.tell(rows); err != nil || len(rows) < f.filter.Limit {
			return err
		}
	}
	return nil
}

// follow tells what is there and what is added.
func (f *follower) follow(ctx context.Context, pace Pace) error {
	tick := time.NewTicker(pace.Interval)
	defer tick.Stop()
	var over <-chan time.Time // never, without a time
	if pace.For > 0 {
		timer := time.NewTimer(pace.For)
		defer timer.Stop()
		over = timer.C
	}
	for {
		// Asked before the log is read, so that what comes meanwhile is news.
		changed, err := f.log.Changed(ctx)
		switch {
		case err != nil:
		case changed:
			err = f.toTheEnd(ctx)
		default:
			err = f.tell(nil)
		}
		if err != nil || f.over() {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-tick.C:
		}
		if err := f.log.Check(ctx); err != nil {
			return err
		}
	}
}
