package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

func adoptCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "adopt",
		Usage:     "put a running process under watch",
		ArgsUsage: "",
		UsageText: "progmon adopt --pid 4711\nprogmon adopt --pid 4711 --id crawl-7 --family crawl --total 200",
		Description: "Opens a run for a process that runs already, whoever started it, and prints the run's id. From then on " +
			"it is watched as a wrapped one is. It is never signalled by progmon: that is for its parent. How it ends is " +
			"not known to anyone but its parent either, so a run that was adopted has vanished when its process is gone " +
			"without progmon finish.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "pid", Usage: "the `PID` of the process"},
			&cli.StringFlag{Name: "id", Usage: "the `RUN`, used once; made from the family when not given"},
			&cli.StringFlag{Name: "family", Usage: "the kind of work, which thresholds hang on", Value: "default",
				EnvVars: []string{"PROGMON_FAMILY"}},
			&cli.Int64Flag{Name: "total", Usage: "the `NUMBER` of steps"},
			&cli.BoolFlag{Name: "open", Usage: "the number of steps may grow"},
		},
		Action: func(c *cli.Context) error {
			d := store.Declared{Run: c.String("id"), Family: c.String("family"), Process: true,
				Total: cursor.Total{N: c.Int64("total"), Known: c.IsSet("total"), Open: c.Bool("open")}}
			switch {
			case !c.IsSet("pid"):
				return usagef("", "flag --pid is missing")
			case c.Int("pid") < 1:
				return usagef("", "--pid %d is no process", c.Int("pid"))
			case checkFamily(d.Family) != nil:
				return checkFamily(d.Family)
			case d.Total.N < 0:
				return usagef("", "--total %d is negative", d.Total.N)
			}
			if d.Run == "" {
				if err := e.heard("the id of the run"); err != nil {
					return err
				}
				d.Run = store.NewRunID(d.Family)
			} else if err := checkRun(d.Run); err != nil {
				return err
			}
			var err error
			if d.Policy, err = e.recordedPolicy(d.Family); err != nil {
				return err
			}
			return e.adoptProcess(c.Context, c.Int("pid"), d)
		},
	}
}

// adoptProcess makes the run's directory, with the identity of the process in
// it, and its rows.
func (e *env) adoptProcess(ctx context.Context, pid int, d store.Declared) error {
	id, err := presence.Of(pid)
	switch {
	case errors.Is(err, presence.ErrGone):
		return withCode(exitNoRun, fmt.Errorf("there is no process %d", pid))
	case err != nil:
		return withCode(exitFenced, err)
	case presence.Look(id) == cursor.Gone:
		return withCode(exitNoRun, fmt.Errorf("process %d has ended", pid))
	}
	root, err := e.rootToWrite()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return err
	}
	dir, err := rundir.Create(root, d.Run)
	if errors.Is(err, rundir.ErrExists) {
		return withHint(withCode(exitRefused, err), "a run id is used once: choose another --id, or give none")
	}
	if err != nil {
		return notKept(err)
	}
	defer dir.Close()
	if err := dir.WritePID(rundir.PID{Identity: id, Epoch: 1}); err != nil {
		return errors.Join(notKept(err), os.RemoveAll(dir.Path()))
	}
	if err := e.openAdopted(ctx, pid, d); err != nil {
		return errors.Join(err, os.RemoveAll(dir.Path()))
	}
	e.recorded = fmt.Sprintf("run %q is open, for process %d", d.Run, pid)
	if e.json {
		return e.printJSON(struct {
			Run string `json:"run"`
			PID int    `json:"pid"`
			Dir string `json:"dir"`
		}{d.Run, pid, dir.Path()})
	}
	e.printf("%s\n", d.Run)
	return nil
}

func (e *env) openAdopted(ctx context.Context, pid int, d store.Declared) error {
	s, err := e.makeTrail(ctx, store.WithSource("user"))
	if err != nil {
		return err
	}
	return writing(s, func(s *store.Store) error {
		return s.Together(ctx, func(s *store.Store) error {
			if _, err := s.Start(ctx, d); err != nil {
				return err
			}
			_, err := s.Aside(ctx, d.Run, store.Aside{Kind: "run.adopted", Who: "user", Data: fmt.Appendf(nil, `{"pid":%d}`, pid)})
			return err
		})
	})
}
