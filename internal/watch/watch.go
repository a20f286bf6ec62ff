package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Trail is what the loop reads. *store.Reader is one.
type Trail interface {
	Check(context.Context) error
	Instance(context.Context) (string, error)
	Monitors(context.Context) ([]store.MonitorRow, error)
	Look(context.Context, store.Ask) (store.Found, error)
	Close() error
}

// Record is a trail that looks can be put on record in. *store.Store is one.
type Record interface {
	Trail
	RecordLook(context.Context, *store.Look) error
	StopMonitor(ctx context.Context, id string) error
	Seal(context.Context) error
}

// Watch is a monitor. Fill in the exported fields before Run or Once; it is for
// one goroutine.
type Watch struct {
	// Open opens the trail: for recording, or, when it can only be read, for
	// reading, and then why says why. An error is blindness. It is called again
	// when sight returns, and must make and migrate nothing.
	Open func(context.Context) (trail Trail, why error, err error)
	Now  func() cursor.Instant
	// Thresholds is the policy of a run of the family; recorded is the JSON that
	// was recorded with the run, nil when there is none.
	Thresholds func(family string, recorded []byte) policy.Policy
	// Report is told of every look. An error of it ends the loop.
	Report func(Report) error

	// Hangup has Reread called between two looks, for each value that comes. The
	// next look is at every live run then, by whatever Thresholds says from there
	// on. An error of Reread ends the loop. A nil Hangup is none.
	Hangup <-chan os.Signal
	Reread func() error

	// Roots are the run directories that are looked at too; nil is none.
	Roots *Roots
	// Optional says that a trail that was never there is no blindness: there
	// are directories to be watched.
	Optional bool
	// Respawn continues runs whose wrapper has vanished; nil leaves them.
	Respawn Respawner

	Interval time.Duration // between looks; at least MinInterval
	// LateAfter is when others call this monitor late; 0 means three intervals.
	LateAfter time.Duration
	ID        string // of the monitor: unique on this trail
	Host      string
	PID       int

	trail  Trail
	record Record // nil while the trail can only be read
	why    error  // why record is nil
	name   string // the instance of the trail that was opened first
	tried  time.Duration

	begun   bool // the fields below are made
	started time.Time
	looks   int64
	skipped int64 // slots just before this look without one
	missed  int64 // slots since the last look on record without one
	clock   cursor.Clock
	row     store.MonitorRow
	since   int64 // the newest row seen
	seen    bool  // a look of this loop has seen the trail
	known   bool  // and a monitor before it
	whole   bool  // the next look is at every live run: not all of it may be on record
	charge  charge
	due     *roster
	again   map[string]bool // runs to be judged again: what was thought of them is not on record
	ends    []Row
	// blindRuns is how many runs of the table cannot be read.
	blindRuns int
	ended     map[string]policy.State // the runs that this loop found ended
	blind     *Sight
	blindAt   cursor.Instant
	tell      []store.Blindness // what the log has not been told yet
	sealing   sealing
	others    others
	process   map[string]bool // the runs of the table that have a process
	gaveUp    map[string]bool // the runs that Respawn gave up at this look
	own       ownClock        // while there is no trail
}

// MinInterval is the shortest time between looks.
const MinInterval = 100 * time.Millisecond

// keptEnds is how many runs that ended are shown.
const keptEnds = 20

// Run looks at once and then at every slot of the interval, until ctx ends,
// which is no error. What could not be seen is reported and looked for again.
func (w *Watch) Run(ctx context.Context) (err error) {
	if w.Interval < MinInterval {
		return fmt.Errorf("watch: an interval of %v is shorter than %v", w.Interval, MinInterval)
	}
	w.begin()
	defer func() { err = errors.Join(err, w.end()) }()
	tick := time.NewTicker(w.Interval)
	defer tick.Stop()
	last := time.Now()
	for {
		if err := w.pass(ctx, false); err != nil {
			return err
		}
		slot, err := w.wait(ctx, tick.C)
		if err != nil || slot.IsZero() {
			return err
		}
		// A slot that went by while a look was late is counted and not made up
		// for.
		w.skipped = max(int64((slot.Sub(last)+w.Interval/2)/w.Interval)-1, 0)
		w.missed += w.skipped
		last = slot
	}
}

// wait is until the next slot; the zero instant is the end of ctx.
func (w *Watch) wait(ctx context.Context, slots <-chan time.Time) (time.Time, error) {
	for {
		select {
		case <-ctx.Done():
			return time.Time{}, nil
		case slot := <-slots:
			return slot, nil
		case <-w.Hangup:
			if err := w.Reread(); err != nil {
				return time.Time{}, err
			}
			w.whole = true
		}
	}
}

// Once looks a single time, at every run there is.
func (w *Watch) Once(ctx context.Context) error {
	w.begin()
	err := w.pass(ctx, true)
	return errors.Join(err, w.close())
}

func (w *Watch) begin() {
	if w.begun {
		return
	}
	w.begun = true
	now := w.Now()
	w.started = now.Wall
	w.charge.interval = w.Interval
	w.due = newRoster()
	w.again = map[string]bool{}
	w.process = map[string]bool{}
	w.gaveUp = map[string]bool{}
	w.ended = map[string]policy.State{}
	w.whole = true
	if w.LateAfter <= 0 {
		w.LateAfter = 3 * w.Interval
	}
	w.row = store.MonitorRow{ID: w.ID, Host: w.Host, PID: int64(w.PID), Started: now.Wall,
		Interval: w.Interval, LateAfter: w.LateAfter}
}

// end says that the monitor ends on purpose, and closes the trail. The context
// of the loop is over by then.
func (w *Watch) end() error {
	var err error
	if w.record != nil && w.row.Looks > 0 && w.blind == nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		// A monitor that cannot say that it stopped is found late: no harm.
		err = w.record.StopMonitor(ctx, w.ID)
		if blind := new(store.BlindError); errors.Is(err, store.ErrBusy) || errors.As(err, &blind) ||
			errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	}
	return errors.Join(err, w.close())
}

func (w *Watch) close() error {
	if w.trail == nil {
		return nil
	}
	w.sealing.wait()
	trail := w.trail
	w.trail, w.record = nil, nil
	return trail.Close()
}
