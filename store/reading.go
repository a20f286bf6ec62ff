package store

import (
	"context"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Clock is the awake clock at this instant. limit, when positive, is the most
// that is charged since the last look on record: see cursor.NewClock.
func (r *Reader) Clock(ctx context.Context, limit time.Duration) (cursor.Clock, error) {
	var clock cursor.Clock
	err := r.view(ctx, func(c *conn) (err error) {
		clock, err = c.clock(r.opt.now(), func(time.Duration, cursor.Instant) time.Duration { return limit })
		return err
	})
	if err != nil {
		return cursor.Clock{}, fmt.Errorf("read the clock: %w", err)
	}
	return clock, nil
}

// Readings says where the named runs stand, in the order of the names, or all
// runs in the order of their ids when runs is nil. A run that is not there
// comes back blind (no-trail), and so does one whose rows break the rules
// (corrupt): it hides no other.
func (r *Reader) Readings(ctx context.Context, clock cursor.Clock, runs []string) ([]cursor.Reading, error) {
	var found []Sighting
	err := r.view(ctx, func(c *conn) (err error) {
		found, err = c.sightings(clock, runs)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the cursors: %w", err)
	}
	readings := make([]cursor.Reading, len(found))
	for i := range found {
		readings[i] = found[i].Reading
	}
	return readings, nil
}

// Live names the runs that have not ended, in the order of their ids.
func (r *Reader) Live(ctx context.Context) ([]string, error) {
	var runs []string
	err := r.view(ctx, func(c *conn) (err error) {
		runs, err = c.names("live", nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the live runs: %w", err)
	}
	return runs, nil
}

// ChangedSince names the runs of which a row with an id above event says
// something new, in the order of their ids, and gives the id of the newest row.
// What a monitor wrote is not news.
func (r *Reader) ChangedSince(ctx context.Context, event int64) (runs []string, newest int64, err error) {
	err = r.view(ctx, func(c *conn) (err error) {
		if newest, err = c.newest(); err == nil && newest > event {
			runs, err = c.names("changed_since", nil, arg{"event", event}, arg{"newest", newest})
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read what changed: %w", err)
	}
	return runs, newest, nil
}

// names appends to runs the first column of a statement.
func (c *conn) names(statement string, runs []string, args ...arg) ([]string, error) {
	err := c.peek(statement, func(row []value) error {
		var name text
		name.take(row[0])
		runs = append(runs, name.s)
		return nil
	}, args...)
	return runs, err
}

// newest is the id of the newest event, 0 in an empty log.
func (c *conn) newest() (int64, error) {
	var id num
	err := c.peek("newest_event", func(row []value) error { id.take(row[0]); return nil })
	return id.n, err
}

// RecordedPolicy is the JSON of the thresholds that were recorded with the
// run, nil when there are none. It returns ErrNoRun for a run that is not
// there.
func (r *Reader) RecordedPolicy(ctx context.Context, run string) ([]byte, error) {
	var found []Sighting
	err := r.view(ctx, func(c *conn) (err error) {
		found, err = c.sightings(cursor.Clock{}, []string{run})
		return err
	})
	if err == nil && found[0].Reading.Blind.Reason == BlindNoTrail {
		err = ErrNoRun
	}
	if err != nil {
		return nil, fmt.Errorf("read the thresholds of run %q: %w", run, err)
	}
	return found[0].Thresholds, nil
}
