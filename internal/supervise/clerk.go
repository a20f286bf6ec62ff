package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// row is something that the trail is to be told. Rows are written in order:
// one that cannot be written now holds up those behind it.
type row struct {
	what string // for people: "record the end"
	do   func(context.Context, *store.Store) error
	done chan error // gets the answer once it is final; nil asks for none
}

// clerk is the wrapper's hand on the trail. It works beside the loop of the
// wrapper, so that a database that is locked, full, slow or gone holds up
// nothing but its own rows: signals, the child and the files go on.
type clerk struct {
	path     string
	run      string
	interval time.Duration
	tell     func(format string, args ...any) // says something to people

	rows  chan row
	looks chan look
	// amiss gets something when the trail cannot be written for another reason
	// than that somebody else is writing.
	amiss  chan struct{}
	broken atomic.Bool // the last attempt met such a reason

	// The clerk's own, touched by nothing else.
	trail  *store.Store
	made   bool // the trail was open once: it is never made a second time
	wrong  bool // the trail was said to be out of reach
	gaps   gaps
	asked  int64         // the newest row of what is asked that was read
	newest int64         // the newest row of the log at the last look
	log    policy.Memory // what the log has told of the run
	stop   *store.Event  // the newest request to stop
	open   bool          // the run is in the trail
}

// look is what the clerk sees of the run at one look.
type look struct {
	err       error // the trail could not be read: nothing else is said
	sighting  store.Sighting
	clock     cursor.Clock
	log       policy.Memory
	stop      *store.Event // the newest request to stop, nil when there is none
	monitored bool         // a monitor is looking too
	mono      time.Duration
}

// Bounds of the clerk's patience.
const (
	busyFor   = 2 * time.Second        // that one attempt to write waits for a lock
	tryEvery  = 250 * time.Millisecond // a row that could not be written
	lastWords = 5 * time.Second        // for rows that are left when everything else is over
	lastTry   = time.Second            // for them when the trail is broken and not only busy
)

func newClerk(path, run string, interval time.Duration, tell func(string, ...any)) *clerk {
	return &clerk{path: path, run: run, interval: interval, tell: tell, rows: make(chan row, 64), looks: make(chan look, 1),
		amiss: make(chan struct{}, 1), gaps: gaps{interval: interval}}
}

// work writes rows and looks at the run until rows is closed and what was in
// it is written, or ctx ends. left is how many rows were given up.
func (c *clerk) work(ctx context.Context) (left int) {
	again := time.NewTicker(c.interval)
	defer again.Stop()
	defer c.close()
	retry := time.NewTimer(0)
	<-retry.C
	var queue []row
	rows := c.rows
	for rows != nil || len(queue) > 0 {
		select {
		case <-ctx.Done():
			return c.giveUp(queue)
		case r, more := <-rows:
			if !more {
				rows = nil
				break
			}
			if queue = append(queue, r); len(queue) > 1 {
				continue // the first one is being tried
			}
		case <-again.C:
			if rows != nil && c.open {
				c.look(ctx)
			}
			continue
		case <-retry.C:
		}
		for len(queue) > 0 && ctx.Err() == nil {
			err := c.write(ctx, queue[0])
			if retryable(err) {
				retry.Reset(tryEvery)
				break
			}
			if queue[0].done != nil {
				queue[0].done <- err
			}
			queue = queue[1:]
		}
	}
	return c.giveUp(queue)
}

// giveUp counts the rows that were not written, and lets go of who waits for
// an answer. The loop has closed rows by then.
func (c *clerk) giveUp(queue []row) int {
	for r := range c.rows {
		queue = append(queue, r)
	}
	for _, r := range queue {
		if r.done != nil {
			close(r.done)
		}
	}
	return len(queue)
}

// write tries to write a row once.
func (c *clerk) write(ctx context.Context, r row) error {
	err := c.reach(ctx)
	if err == nil {
		err = r.do(ctx, c.trail)
	}
	switch {
	case err == nil:
		c.broken.Store(false)
		if c.wrong {
			c.wrong = false
			c.tell("the trail %q can be written again", c.path)
		}
	case retryable(err):
		if !c.wrong && ctx.Err() == nil {
			c.wrong = true
			c.tell("cannot %s now, will try again; the run's files are kept: %v", r.what, err)
		}
		c.lose(err)
		if c.broken.Store(!errors.Is(err, store.ErrBusy)); c.broken.Load() {
			select {
			case c.amiss <- struct{}{}:
			default:
			}
		}
	}
	return err
}

// patience is how long rows are tried when all else is over.
func (c *clerk) patience() time.Duration {
	if c.broken.Load() {
		return lastTry
	}
	return lastWords
}

// reach opens the trail where it is not open. The first time it may make it.
func (c *clerk) reach(ctx context.Context) error {
	if c.trail != nil {
		return nil
	}
	if _, err := os.Stat(c.path); c.made && err != nil {
		return &store.BlindError{Reason: store.BlindMissing, Detail: "there is no such file any more"}
	}
	s, err := store.Open(ctx, c.path, store.WithBusyTimeout(busyFor), store.WithSource("wrapper"))
	if err != nil {
		return err
	}
	c.trail, c.made = s, true
	return nil
}

// lose closes a trail that may be another file by now, or none.
func (c *clerk) lose(err error) {
	if c.trail != nil && errors.Is(err, store.ErrUnavailable) {
		c.close()
	}
}

func (c *clerk) close() {
	if c.trail == nil {
		return
	}
	// What was acknowledged is durable; there is nothing to lose.
	_ = c.trail.Close()
	c.trail = nil
}

// retryable says that the machine is to blame and not the row.
func retryable(err error) bool {
	if err == nil {
		return false
	}
	for _, final := range []error{store.ErrFenced, store.ErrRefused, store.ErrExists, store.ErrNoRun, store.ErrNoStep, ErrNotContinued} {
		if errors.Is(err, final) {
			return false
		}
	}
	return true
}

// look sees where the run stands, and hands that to the loop. A look that the
// loop has not taken yet gives way to this one.
func (c *clerk) look(ctx context.Context) {
	now := store.Now()
	c.gaps.look(now.Mono)
	l := c.see(ctx)
	l.mono = now.Mono
	if l.err != nil {
		c.gaps.blind(now.Mono)
		c.lose(l.err)
	}
	select {
	case <-c.looks:
	default:
	}
	c.looks <- l
}

func (c *clerk) see(ctx context.Context) (l look) {
	if l.err = c.reach(ctx); l.err != nil {
		return l
	}
	if l.err = c.trail.Check(ctx); l.err != nil {
		return l
	}
	found, err := c.trail.Look(ctx, store.Ask{Since: c.newest, Charge: c.gaps.limit,
		Due: func(_ time.Time, runs []string) []string { return append(runs, c.run) }})
	if err != nil {
		return look{err: err}
	}
	for i := range found.Runs {
		if found.Runs[i].Reading.Run == c.run {
			l.sighting = found.Runs[i]
		}
	}
	if l.sighting.Reading.Run == "" {
		return look{err: fmt.Errorf("look for run %q: %w", c.run, store.ErrNoRun)}
	}
	l.clock = found.Clock
	if found.Newest > c.newest {
		if err := c.hear(ctx); err != nil {
			return look{err: err}
		}
		c.newest = found.Newest
	}
	monitors, err := c.trail.Monitors(ctx)
	if err != nil {
		return look{err: err}
	}
	l.monitored = store.WatchedAt(monitors, store.Now()).State == store.MonitorLive
	l.log, l.stop = c.log, c.stop
	return l
}

// hear reads the signals and requests that came since.
func (c *clerk) hear(ctx context.Context) error {
	events, err := c.trail.Asked(ctx, c.run, c.asked)
	if err != nil {
		return err
	}
	for i := range events {
		e := &events[i]
		c.asked = e.ID
		if e.Kind == "run.stop" {
			c.stop = e
			continue
		}
		if e.Since != nil {
			c.log = c.log.Note(policy.Signal{Kind: strings.TrimPrefix(e.Kind, "signal."), Epoch: e.Epoch, Since: *e.Since})
		}
	}
	return nil
}
