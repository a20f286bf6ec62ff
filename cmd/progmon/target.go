package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// target is the run that a worker's command is about, and the epoch that the
// worker was given.
type target struct {
	run   string
	epoch int64
	named bool // whether an epoch was named; else epoch is 1
}

// target reads the run and the epoch of a worker's command: arg is its
// argument RUN, if it has one and it was given; else --run or PROGMON_RUN
// speaks. Without an epoch it is 1, so that the database itself refuses to
// write for a worker that knows none once the run was taken over.
func (e *env) target(c *cli.Context, arg ...string) (target, error) {
	to := target{run: c.String("run"), epoch: 1}
	if len(arg) > 0 {
		if e.typed("run") && to.run != arg[0] {
			return to, usagef("", "two runs are named: %s and --run %s", policy.Said(arg[0]), policy.Said(to.run))
		}
		to.run = arg[0]
	} else if to.run == "" {
		return to, usagef("", "no run is named: use --run RUN or set PROGMON_RUN")
	}
	if err := checkRun(to.run); err != nil {
		return to, err
	}
	epoch, named := epoch(c)
	if !named || !e.typed("epoch") && e.getenv("PROGMON_RUN") != "" && e.getenv("PROGMON_RUN") != to.run {
		// The epoch in the environment is that of the run in the environment.
		return to, nil
	}
	if epoch < 1 {
		return to, usagef("", "epoch %d: epochs count from 1", epoch)
	}
	to.epoch, to.named = epoch, true
	return to, nil
}

// checkRun refuses what can be no run, before anything is made of it.
func checkRun(id string) error {
	if cursor.ValidName(id) {
		return nil
	}
	return usagef("", "%s is no run id: 1 to 64 of a-z 0-9 . _ -, and the first a letter or digit", policy.Said(id))
}

// checkFamily refuses what can be no family.
func checkFamily(name string) error {
	if cursor.ValidName(name) {
		return nil
	}
	return usagef("", "%s is no family: it is written like a run id, 1 to 64 of a-z 0-9 . _ -", policy.Said(name))
}

// typed says that the flag name was typed, and did not come from a variable.
func (e *env) typed(name string) bool {
	for _, level := range e.call.own {
		for _, g := range level {
			if g.name == name && g.word[0] == '-' {
				return true
			}
		}
	}
	return false
}

// onTrail runs fn on the trail, opened for writing, and closes it.
func (e *env) onTrail(ctx context.Context, fn func(*store.Store) error, opts ...store.Option) error {
	s, err := e.openTrail(ctx, opts...)
	if err != nil {
		return err
	}
	return writing(s, fn)
}

// writing runs fn on a trail that is open for writing, and closes it.
func writing(s *store.Store, fn func(*store.Store) error) error {
	err := fn(s)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return unwritable(err)
}

// record runs act on the run of the call, and says what the trail answered:
// nothing in the usual case, since the exit code says it, one line with --json.
func (e *env) record(c *cli.Context, arg []string, act func(context.Context, *store.Run) (store.Ack, error)) error {
	to, err := e.target(c, arg...)
	if err != nil {
		return err
	}
	return e.onTrail(c.Context, func(s *store.Store) error {
		ack, err := act(c.Context, s.Run(to.run, to.epoch))
		if err != nil {
			return to.explain(err)
		}
		return e.acknowledge(ack)
	})
}

// acknowledge is the answer to a write that is durable.
func (e *env) acknowledge(ack store.Ack) error {
	e.recorded = fmt.Sprintf("event %d", ack.Event)
	if !e.json {
		return nil
	}
	return e.printJSON(struct {
		OK       bool  `json:"ok"`
		Event    int64 `json:"event"`
		Position int64 `json:"position"`
	}{true, ack.Event, ack.Position})
}

// explain adds to an error of the trail what there is to do about it.
func (to target) explain(err error) error {
	switch {
	case errors.Is(err, store.ErrFenced) && !to.named:
		err = withCode(exitFenced, fmt.Errorf("run %q was taken over, and no epoch is named", to.run))
		return withHint(err, "name the epoch you were given with --epoch or PROGMON_EPOCH; without one, stop")
	case errors.Is(err, store.ErrFenced):
		return withHint(err, "epoch %d is over: stop this worker; progmon takeover %s begins a new epoch", to.epoch, to.run)
	case errors.Is(err, store.ErrNoRun):
		return withHint(err, "progmon start %s opens it; progmon status lists the runs there are", to.run)
	}
	return err
}

// optional is the argument that a command may have, as target takes it.
func optional(c *cli.Context) []string { return c.Args().Slice() }
