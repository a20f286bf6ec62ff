package supervise

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// ErrNotContinued: a run whose wrapper has vanished, or seems to have, is not
// to be continued as things are. Nothing was changed.
var ErrNotContinued = errors.New("not continued")

// errLivesOn is the reason that may go away by itself.
var errLivesOn = errors.New("lives on")

func notContinued(why string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrNotContinued, fmt.Errorf(why, args...))
}

// Continuable says whether the files of an epoch let another one follow: its
// wrapper and its command are both known and both gone, nobody of the command's
// group lives, there is no exit record and no request to stop, and what to
// start is there. It returns what was to be started, or ErrNotContinued and why.
//
// The answer holds only for as long as the directory is held: see Dir.Hold.
func Continuable(dir *rundir.Dir, epoch int64) (rundir.Command, error) {
	_, err := named(dir, epoch)
	if err != nil {
		return rundir.Command{}, err
	}
	switch _, err := dir.ReadExitOf(epoch); {
	case err == nil:
		return rundir.Command{}, notContinued("epoch %d has an exit record", epoch)
	case !errors.Is(err, rundir.ErrAbsent):
		return rundir.Command{}, notContinued("the exit record: %w", err)
	}
	if stop, err := dir.ReadStop(); !errors.Is(err, rundir.ErrAbsent) && (err != nil || stop.Epoch == 0 || stop.Epoch == epoch) {
		return rundir.Command{}, notContinued("somebody has asked for the end")
	}
	c, err := dir.ReadCommand()
	if err != nil {
		return rundir.Command{}, notContinued("the command: %w", err)
	}
	return c, nil
}

// named is the last worker.pid, when everybody whom it names is gone: that of
// the epoch, or of one before when the wrapper vanished in between.
func named(dir *rundir.Dir, epoch int64) (rundir.PID, error) {
	p, err := dir.ReadPID()
	switch {
	case err != nil:
		return p, notContinued("nobody is named who could have vanished: %w", err)
	case p.Wrapper == nil || p.Epoch == 0:
		return p, notContinued("it had no wrapper")
	case p.Epoch > epoch:
		return p, notContinued("worker.pid is of epoch %d", p.Epoch)
	}
	for _, who := range []presence.Identity{*p.Wrapper, p.Identity} {
		if at := presence.Look(who); at != cursor.Gone || who.Bare() {
			return p, notContinued("%v is %s", who, at)
		}
	}
	return p, alone(p)
}

// alone makes sure that nobody lives on in the group of a command that is
// gone. A number that leads a group is given to nobody else, so a process that
// has it now says that the old group is empty.
func alone(p rundir.PID) error {
	if self, err := presence.Self(); err != nil || self.Boot != p.Boot {
		return err // of an earlier boot nobody is left
	}
	table, err := processes()
	if err != nil {
		return notContinued("the process table: %w", err)
	}
	left := members(table, p.PID)
	for _, each := range left {
		if each.PID == p.PID {
			return nil
		}
	}
	if len(left) > 0 {
		return notContinued("pid %d %q of its group %w", left[0].PID, left[0].Command, errLivesOn)
	}
	return nil
}

// followPatience is how long a trail that cannot be written is waited for.
const followPatience = 30 * time.Second

// follow takes over the run of a wrapper that has vanished. The directory is
// held, so nobody else does; the epoch in the trail is the fence for whoever
// does not know of holds. From the moment that worker.pid names this wrapper,
// everybody who looks sees that somebody is at it.
func (w *Wrapper) follow() (sequel, error) {
	if _, err := Continuable(w.Dir, w.After); err != nil {
		return sequel{}, err
	}
	p, err := named(w.Dir, w.After)
	if err != nil {
		return sequel{}, err
	}
	p.Wrapper = &w.self
	if err := w.Dir.WritePID(p); err != nil {
		return sequel{}, &NotStartedError{err}
	}
	w.beat()
	var next sequel
	done := make(chan error, 1)
	var late atomic.Bool
	w.clerk.made = true
	w.clerk.rows <- row{what: "go on", done: done, do: func(ctx context.Context, s *store.Store) (err error) {
		if late.Load() {
			return notContinued("the trail could not be written in time")
		}
		next, err = w.inherit(ctx, s)
		w.clerk.open = err == nil
		return err
	}}
	patience := time.NewTimer(followPatience)
	defer patience.Stop()
	select {
	case err := <-done:
		return next, err
	case <-patience.C:
		late.Store(true)
		return sequel{}, fmt.Errorf("go on with run %q: %w", w.Declared.Run, store.ErrBusy)
	}
}

// inherit begins the epoch after one that vanished, in one transaction.
func (w *Wrapper) inherit(ctx context.Context, s *store.Store) (next sequel, err error) {
	run := w.Declared.Run
	err = s.Together(ctx, func(s *store.Store) error {
		r, respawns, err := standing(ctx, s.Reader, run)
		if err != nil {
			return err
		}
		asked, err := s.Asked(ctx, run, 0)
		if err != nil {
			return err
		}
		for _, e := range asked {
			if e.Kind == "run.stop" && e.Epoch == w.After {
				return notContinued("somebody has asked for the end")
			}
		}
		switch {
		case r.Epoch != w.After:
			return notContinued("epoch %d has the run", r.Epoch)
		case r.Exit.Known:
			return notContinued("the end of epoch %d is on record", w.After)
		}
		switch follows(w.Policy, r, cursor.Exit{}, respawns) {
		case nothing:
			return notContinued("nothing is left to do, or the policy has no auto_respawn")
		case gaveUp:
			return notContinued("%d respawns led to no new position", respawns)
		}
		next, err = w.takeOver(ctx, s, r, w.After, respawns, "vanished")
		return err
	})
	return next, err
}
