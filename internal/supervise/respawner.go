package supervise

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Respawner starts wrappers again that have vanished: for a monitor, which
// asks it at each look and is not held up by it. What it starts is a process of
// its own session that outlives the monitor, and that makes sure again, with
// the directory held and in one transaction of the trail, that it is the only
// one: of any number of monitors, one continues an epoch. Fill in the fields.
type Respawner struct {
	DB     string
	Policy func(recorded []byte) policy.Policy // the thresholds recorded with a run
	Tell   func(string)                        // says something to people, a line at a time
	// Again says that a wrapper that ended with this status has changed nothing
	// and may do better later.
	Again func(code int) bool

	tries map[string]*try
}

// try is what was done about one epoch of a run.
type try struct {
	epoch  int64
	began  time.Time
	left   int // how often it may still be tried
	over   chan error
	closed bool // nothing more will be tried
}

const (
	triesPerEpoch = 5
	// tryFor is for how long an epoch that is being followed is not called
	// ended, whatever its follower does.
	tryFor = time.Minute
)

// Succeed implements watch.Respawner.
func (r *Respawner) Succeed(ctx context.Context, root string, s *store.Sighting) watch.Succession {
	run, epoch := s.Reading.Run, s.Reading.Epoch
	p := r.Policy(s.Thresholds)
	if !p.AutoRespawn {
		return watch.Ends
	}
	t := r.tries[run]
	if t == nil || t.epoch != epoch {
		t = &try{epoch: epoch, began: time.Now(), left: triesPerEpoch}
		if r.tries == nil {
			r.tries = map[string]*try{}
		}
		r.tries[run] = t
	}
	if t.over != nil {
		select {
		case err := <-t.over:
			t.over = nil
			r.ended(run, t, err)
		default:
		}
	}
	switch {
	case t.closed || time.Since(t.began) > tryFor:
		return watch.Ends
	case t.over != nil:
		return watch.GoesOn
	}
	what, err := r.begin(ctx, root, s, p, t)
	if errors.Is(err, errLivesOn) {
		return watch.GoesOn // as soon as that is over
	}
	if err != nil {
		t.closed = true
		r.Tell(fmt.Sprintf("run %s, epoch %d: %v", run, epoch, err))
		return watch.Ends
	}
	return map[after]watch.Succession{nothing: watch.Ends, goesOn: watch.GoesOn, gaveUp: watch.GivesUp}[what]
}

// ended notes the end of a wrapper that was started. One that has taken the run
// over ends with its command; the next look finds another epoch then.
func (r *Respawner) ended(run string, t *try, err error) {
	exit, failed := errors.AsType[*exec.ExitError](err)
	if failed && t.left > 0 && (!exit.Exited() || r.Again(exit.ExitCode())) {
		return
	}
	t.closed = true
	if failed {
		r.Tell(fmt.Sprintf("run %s, epoch %d: the wrapper that was to continue it ended: %v", run, t.epoch, err))
	}
}

// begin starts the wrapper, where one is to follow.
func (r *Respawner) begin(ctx context.Context, root string, s *store.Sighting, p policy.Policy, t *try) (after, error) {
	dir, err := rundir.Open(root, s.Reading.Run)
	if err != nil {
		return nothing, notContinued("%w", err)
	}
	defer dir.Close()
	c, err := Continuable(dir, t.epoch)
	if err != nil {
		return nothing, err
	}
	trail, err := store.OpenReader(ctx, r.DB)
	if err != nil {
		return nothing, err
	}
	respawns, err := trail.Respawns(ctx, s.Reading.Run)
	if err := errors.Join(err, trail.Close()); err != nil {
		return nothing, err
	}
	what := follows(p, s.Reading, cursor.Exit{}, respawns)
	if what != goesOn {
		return what, nil
	}
	t.left--
	t.over, err = launch(root, c, t.epoch)
	return what, err
}

// launch starts the wrapper again as it was started, in a session of its own.
// Its output is nobody's: the terminal that it once had may be another's.
func launch(root string, c rundir.Command, epoch int64) (over chan error, err error) {
	if len(c.Wrapper) == 0 || c.Wrapper[0] != "run" {
		return nil, notContinued("worker.cmd does not say how its wrapper was started")
	}
	program, err := self()
	if err == nil {
		root, err = filepath.Abs(root) // it starts elsewhere
	}
	if err != nil {
		return nil, notContinued("%w", err)
	}
	args := append([]string{c.Wrapper[0], "--root=" + root, "--continue=" + strconv.FormatInt(epoch, 10)}, c.Wrapper[1:]...)
	args = append(append(args, "--"), c.Argv...)
	cmd := exec.Command(program, args...)
	cmd.Args[0] = "progmon"
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.SysProcAttr = apart()
	if err := cmd.Start(); err != nil {
		return nil, notContinued("%w", err)
	}
	over = make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	return over, nil
}
