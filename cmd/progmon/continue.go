package main

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/supervise"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// continueRun is the wrapper that a monitor starts where another has vanished.
// The command, its directory and its environment are those of worker.cmd, the
// thresholds those recorded with the run. The words after -- are the same
// command, for whoever lists processes.
func (e *env) continueRun(c *cli.Context) error {
	run := c.String("id")
	if err := checkRun(run); err != nil {
		return err
	}
	if c.Int64("continue") < 1 {
		return usagef("", "--continue %d is no epoch", c.Int64("continue"))
	}
	dir, err := e.openDir(run)
	if err != nil {
		return err
	}
	defer dir.Close()
	kept, err := dir.ReadCommand()
	if err != nil {
		return withCode(exitRefused, err)
	}
	w := &supervise.Wrapper{
		Dir: dir, After: c.Int64("continue"), Words: kept.Wrapper,
		Declared: store.Declared{Run: run, Family: c.String("family")},
		Command:  supervise.Command{Argv: kept.Argv, Dir: kept.Dir, Env: kept.Env},
		Tell:     func(line string) { e.complain(errors.New(line)) },
	}
	path, err := e.db()
	if err == nil {
		w.DB, err = filepath.Abs(path)
	}
	if err != nil {
		return err
	}
	if name := c.String("ping-signal"); name != "" {
		if w.PingSignal, err = supervise.ParseSignal(name); err != nil {
			return usagef("", "--ping-signal: %v", err)
		}
	}
	trail, err := store.OpenReader(c.Context, w.DB)
	if err != nil {
		return err
	}
	w.Declared.Policy, err = trail.RecordedPolicy(c.Context, run)
	if err := errors.Join(err, trail.Close()); err != nil {
		return err
	}
	w.Policy = recordedWith(w.Declared.Policy)
	err = e.stayWith(c.Context, w)
	switch {
	case errors.Is(err, rundir.ErrHeld):
		return withCode(exitTryAgain, err)
	case errors.Is(err, supervise.ErrNotContinued):
		return withCode(exitRefused, err)
	}
	return err
}

// recordedWith are the thresholds that were recorded with a run.
func recordedWith(recorded []byte) policy.Policy {
	if p, err := policyfile.ParseRecord(recorded); len(recorded) > 0 && err == nil {
		return p
	}
	return policy.Default()
}

// respawner continues the runs of the trail at path whose wrapper has vanished.
func (e *env) respawner(path string) (*supervise.Respawner, error) {
	path, err := filepath.Abs(path)
	return &supervise.Respawner{
		DB: path, Policy: recordedWith,
		Tell:  func(line string) { e.complain(errors.New(line)) },
		Again: func(code int) bool { return code == exitTryAgain },
	}, err
}
