package supervise

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// sequel is an epoch that begins: the first, or one that goes on where the one
// before has ended.
type sequel struct {
	epoch    int64
	frontier int64         // steps up to it are done
	delay    time.Duration // before it starts
}

// verdicts on what comes after an end.
type after int

const (
	nothing after = iota
	goesOn
	gaveUp // more than enough was tried
)

// follows says what comes after an end: a bounded continuation where work is
// left, never after a person asked for the end, and never where there was no
// command to begin with.
func follows(p policy.Policy, r cursor.Reading, exit cursor.Exit, respawns int64) after {
	// An exit that is not known is that of a wrapper that vanished.
	switch {
	case !p.AutoRespawn, r.Cancelled, exit.AskedBy == "user", exit.Reason != "", !workLeft(r, exit):
		return nothing
	case respawns >= p.MaxRespawns:
		return gaveUp
	}
	return goesOn
}

// workLeft says that the run is not done. Without a bound it is the command
// that says so, by how it ended.
func workLeft(r cursor.Reading, exit cursor.Exit) bool {
	clean := exit.Known && exit.Code == 0 && exit.Signal == 0
	switch b := r.Bound(); {
	case b.Known && r.Position < b.N:
		return true
	case b.Known && !b.Open:
		return false
	}
	return !clean
}

// longestDelay bounds what doubling makes of respawn_delay.
const longestDelay = 5 * time.Minute

// delay is the pause before a continuation that has been preceded by respawns
// others without a new position.
func delay(p policy.Policy, respawns int64) time.Duration {
	d := p.RespawnDelay
	for ; respawns > 0 && d < longestDelay; respawns-- {
		d *= 2
	}
	return min(d, max(longestDelay, p.RespawnDelay))
}

// conclude puts the end of an epoch on record, and in the same transaction
// takes the run over where it goes on: nobody ever sees it failed in between.
// ok says that next is to be started.
func (w *Wrapper) conclude(exit rundir.Exit, k *worker) (next sequel, ok bool) {
	if len(exit.Left) > 0 {
		w.note(exit)
	}
	if !w.Policy.AutoRespawn || exit.AskedBy == "user" || exit.Spawn != "" {
		w.finish(exit)
		return next, false
	}
	if k.child != nil && len(exit.Left) > 0 {
		// Never two at once: who of the old epoch lives on could still work.
		w.teller.say("the run is not continued beside what was left behind")
		w.finish(exit)
		return next, false
	}
	done := make(chan error, 1)
	var what after
	w.clerk.rows <- row{what: "record the end and go on", done: done, do: func(ctx context.Context, s *store.Store) (err error) {
		if !w.clerk.open {
			return nil
		}
		next, what, err = w.succeed(ctx, s, exit)
		return err
	}}
	patience := time.NewTimer(respawnPatience)
	defer patience.Stop()
	for {
		select {
		case err := <-done:
			switch {
			case err != nil:
				w.teller.say("the run is not continued: %v", err)
			case what == gaveUp:
				w.teller.say("gave up: %d respawns led to no new position", w.Policy.MaxRespawns)
			}
			return next, err == nil && what == goesOn
		case s := <-w.signals:
			if sig := s.(syscall.Signal); sig == syscall.SIGINT || sig == syscall.SIGTERM {
				w.teller.say("the run is not continued: the trail cannot be written")
				return next, false
			}
		case <-w.chld:
			reapOrphans(w.helpers.has)
		case <-patience.C:
			w.teller.say("the run is not continued: the trail cannot be written")
			return next, false
		}
	}
}

// respawnPatience is how long a run that could go on waits for a trail that
// cannot be written: without it there is no fence between two workers.
const respawnPatience = 10 * time.Minute

// succeed records the end of an epoch and what follows, in one transaction.
func (w *Wrapper) succeed(ctx context.Context, s *store.Store, exit rundir.Exit) (next sequel, what after, err error) {
	run := w.Declared.Run
	r, respawns, err := standing(ctx, s.Reader, run)
	if err != nil {
		return next, nothing, err
	}
	what = follows(w.Policy, r, exit.Cursor(), respawns)
	var refused error
	err = s.Together(ctx, func(s *store.Store) error {
		if _, err := s.Run(run, exit.Epoch).Finish(ctx, exit.Cursor()); err != nil {
			refused = err
			return nil
		}
		switch what {
		case goesOn:
			next, err = w.takeOver(ctx, s, r, exit.Epoch, respawns, endOf(exit))
			return err
		case gaveUp:
			return s.Run(run, exit.Epoch).Signal(ctx, respawnSignal(policy.SignalGaveUp, r, respawns, endOf(exit)))
		}
		return nil
	})
	return next, what, errors.Join(err, refused)
}

// standing is where the run stands, and how often it was continued without a
// new position.
func standing(ctx context.Context, s *store.Reader, run string) (r cursor.Reading, respawns int64, err error) {
	clock, err := s.Clock(ctx, 0)
	if err != nil {
		return r, 0, err
	}
	readings, err := s.Readings(ctx, clock, []string{run})
	if err != nil {
		return r, 0, err
	}
	if r = readings[0]; r.Blind.Reason != "" {
		return r, 0, &store.BlindError{Reason: r.Blind.Reason, Detail: r.Blind.Detail}
	}
	respawns, err = s.Respawns(ctx, run)
	return r, respawns, err
}

// takeOver begins the next epoch in the trail, unless another one did since.
func (w *Wrapper) takeOver(ctx context.Context, s *store.Store, r cursor.Reading, from, respawns int64, how string) (sequel, error) {
	taken, err := s.Takeover(ctx, w.Declared.Run, from)
	if err != nil {
		return sequel{}, err
	}
	next := sequel{epoch: taken.Epoch(), frontier: r.Frontier, delay: delay(w.Policy, respawns)}
	return next, taken.Signal(ctx, respawnSignal(policy.SignalRespawned, r, respawns, how))
}

func respawnSignal(kind string, r cursor.Reading, respawns int64, how string) store.Signal {
	return store.Signal{Kind: "signal." + kind, Since: r.Since(), Reason: how,
		Data: fmt.Appendf(nil, `{"position":%d,"respawns":%d}`, r.Position, respawns)}
}

// endOf is how an epoch ended, as a verdict has it.
func endOf(e rundir.Exit) string {
	switch {
	case e.Spawn != "":
		return policy.ReasonSpawn
	case e.Signal != 0:
		return fmt.Sprintf("signal %d", e.Signal)
	}
	return fmt.Sprintf("exit %d", e.Code)
}

// finish has the end put on record when the trail can take it.
func (w *Wrapper) finish(exit rundir.Exit) {
	run := w.Declared.Run
	w.ask("record the end", func(ctx context.Context, s *store.Store) error {
		_, err := s.Run(run, exit.Epoch).Finish(ctx, exit.Cursor())
		return err
	})
}

// note has the log say what was left behind.
func (w *Wrapper) note(exit rundir.Exit) {
	run, text := w.Declared.Run, store.KeptText("left behind: "+describe(exit.Left))
	w.ask("record what was left behind", func(ctx context.Context, s *store.Store) error {
		_, err := s.Run(run, exit.Epoch).Note(ctx, text)
		return err
	})
}

// pause waits before a continuation. It returns false when somebody asks for
// the end first.
func (w *Wrapper) pause(next sequel) bool {
	w.teller.say("epoch %d goes on after step %d in %s", next.epoch, next.frontier, next.delay)
	t := time.NewTimer(next.delay)
	defer t.Stop()
	beat := time.NewTicker(w.Interval)
	defer beat.Stop()
	for {
		select {
		case <-t.C:
			return !w.stopRequested(next.epoch)
		case s := <-w.signals:
			if sig := s.(syscall.Signal); sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGHUP {
				return false
			}
		case <-w.asks:
			if w.stopRequested(next.epoch) {
				return false
			}
		case <-beat.C:
			w.beat()
		case l := <-w.clerk.looks:
			if l.err == nil && (l.sighting.Reading.Cancelled || l.stop != nil && l.stop.Epoch == next.epoch) {
				return false
			}
		case <-w.chld:
			reapOrphans(w.helpers.has)
		}
	}
}

// stopRequested says that a request to stop lies in the directory that this
// epoch has not answered. One that names no epoch and came before the last end
// has been answered by that.
func (w *Wrapper) stopRequested(epoch int64) bool {
	s, err := w.Dir.ReadStop()
	return err == nil && (s.Epoch == 0 || s.Epoch == epoch)
}
