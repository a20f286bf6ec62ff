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

// fork makes the child of an epoch, waiting at the gate. A *SpawnError says
// that there is no such command.
func (w *Wrapper) fork(next sequel) (*worker, error) {
	k := &worker{w: w, sequel: next, ladder: ladder{policy: w.Policy}}
	s := spawn{command: w.Command, stdin: w.null, log: w.log}
	if w.Stdin != nil {
		s.stdin, s.terminal = w.Stdin, isTerminal(w.Stdin)
	}
	k.terminal = s.terminal
	s.env = w.Command.environment(
		"PROGMON_RUN="+w.Declared.Run, "PROGMON_DB="+w.DB, "PROGMON_DIR="+w.Dir.Path(),
		"PROGMON_EPOCH="+strconv.FormatInt(next.epoch, 10), "PROGMON_POSITION="+strconv.FormatInt(next.frontier, 10))
	if next.epoch > 1 {
		s.env = append(s.env, "PROGMON_RESUME=1")
		if err := w.Dir.Begin(next.epoch); err != nil {
			return k, &NotStartedError{err}
		}
	}
	c, err := fork(s)
	if err != nil {
		return k, &SpawnError{w.Command.Argv[0], err}
	}
	k.child = c
	return k, nil
}

// keep writes what a faithful respawn and the last word will need.
func (k *worker) keep() error {
	w := k.w
	err := w.Dir.Reserve()
	if err == nil && k.epoch == 1 {
		err = w.Dir.WriteCommand(rundir.Command{Argv: w.Command.Argv, Dir: w.Command.Dir, Env: w.Command.Env, Wrapper: w.Words})
	}
	if err != nil {
		k.child.abandon()
		return &NotStartedError{err}
	}
	return nil
}

// start lets the child run once its number is durable.
func (k *worker) start() error {
	pid := rundir.PID{Identity: k.child.id, Epoch: k.epoch, Wrapper: &k.w.self}
	if err := k.w.Dir.WritePID(pid); err != nil {
		k.child.abandon()
		return &NotStartedError{err}
	}
	err := k.child.release()
	k.w.beat()
	if err != nil {
		return &SpawnError{k.w.Command.Argv[0], err}
	}
	return nil
}
