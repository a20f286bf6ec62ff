package supervise

import (
	"context"
	"strconv"
	"time"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// declare has the clerk open the run in the trail. The answer comes when it is
// there or refused.
func (w *Wrapper) declare() chan error {
	done := make(chan error, 1)
	w.clerk.rows <- row{what: "open the run", done: done, do: func(ctx context.Context, s *store.Store) error {
		_, err := s.Start(ctx, w.Declared)
		w.clerk.open = err == nil
		return err
	}}
	return done
}

// await waits for the run to be in the trail, for a while. A run that the trail
// refuses is not started; one that it cannot take now is.
func (w *Wrapper) await(declared chan error) error {
	t := time.NewTimer(startPatience)
	defer t.Stop()
	select {
	case err := <-declared:
		return err
	case <-w.clerk.amiss:
	case <-t.C:
	}
	w.teller.say("the command is started all the same")
	go func() { // whenever it comes; the clerk's own mark says whether rows follow
		if err := <-declared; err != nil {
			w.teller.say("the trail refuses the run, so it is on record in %s only: %v", w.Dir.Path(), err)
		}
	}()
	return nil
}

// ready makes the child of an epoch, waiting at the gate, and everything that
// must be durable before it may run. A disk takes its time for each file that
// is synced, so they are written side by side, and beside the trail. A
// *SpawnError says that there is no such command, a *NotStartedError that a
// file could not be written.
func (w *Wrapper) ready(next sequel) (*worker, error) {
	k := &worker{w: w, sequel: next, ladder: ladder{policy: w.Policy}}
	if next.epoch > 1 {
		if err := w.Dir.Begin(next.epoch); err != nil {
			return k, &NotStartedError{err}
		}
	}
	kept := make(chan error, 1)
	go func() { kept <- w.keep(next.epoch) }()
	err := k.fork()
	if err == nil {
		if err = w.Dir.WritePID(rundir.PID{Identity: k.child.id, Epoch: k.epoch, Wrapper: &w.self}); err != nil {
			err = &NotStartedError{err}
		}
	}
	if keepErr := <-kept; err == nil && keepErr != nil {
		err = &NotStartedError{keepErr}
	}
	if err != nil && k.child != nil {
		k.child.abandon()
	}
	return k, err
}

// keep writes what a faithful respawn and the last word will need.
func (w *Wrapper) keep(epoch int64) error {
	err := w.Dir.Reserve()
	if err == nil && epoch == 1 {
		err = w.Dir.WriteCommand(rundir.Command{Argv: w.Command.Argv, Dir: w.Command.Dir, Env: w.Command.Env, Wrapper: w.Words})
	}
	return err
}

// fork makes the child.
func (k *worker) fork() error {
	w := k.w
	s := spawn{command: w.Command, stdin: w.null, log: w.log}
	if w.Stdin != nil {
		s.stdin, s.terminal = w.Stdin, isTerminal(w.Stdin)
	}
	k.terminal = s.terminal
	s.env = w.Command.environment(k.tells())
	c, err := fork(s)
	if err != nil {
		return &SpawnError{w.Command.Argv[0], err}
	}
	k.child = c
	return nil
}

// tells is what the child is told: every name there is, those without a value
// too, so that none of them is heard from an outer wrapper.
func (k *worker) tells() []told {
	resume := ""
	if k.epoch > 1 {
		resume = "1"
	}
	return []told{
		{"PROGMON_RUN", k.w.Declared.Run}, {"PROGMON_DB", k.w.DB}, {"PROGMON_DIR", k.w.Dir.Path()},
		{"PROGMON_EPOCH", strconv.FormatInt(k.epoch, 10)}, {"PROGMON_POSITION", strconv.FormatInt(k.frontier, 10)},
		{"PROGMON_RESUME", resume},
	}
}

// start lets the child run.
func (k *worker) start() error {
	err := k.child.release()
	k.w.beat()
	if err != nil {
		return &SpawnError{k.w.Command.Argv[0], err}
	}
	return nil
}
