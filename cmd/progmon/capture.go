package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/supervise"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func captureCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "capture",
		Usage:     "keep evidence of a wrapped worker",
		ArgsUsage: "RUN",
		UsageText: "progmon capture crawl-7\nprogmon capture crawl-7 --full",
		Description: "Writes the next evidence-N of the run's directory and prints its path: the verdict and the reading, the " +
			"end of the log, the processes with their state, wait channel, open files and sockets, what they used of the " +
			"CPU and of files between two samples, whether one waits on a terminal, and what git says of the directory " +
			"that they work in. It touches nothing. Commands are named without their arguments, which may hold secrets, " +
			"unless --full is given. The wrapper captures by itself when an episode opens.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "full", Usage: "keep the arguments of the processes too"},
		},
		Action: func(c *cli.Context) error {
			return e.capture(c.Context, c.Args().First(), c.Bool("full"))
		},
	}
}

func (e *env) capture(ctx context.Context, run string, full bool) error {
	dir, err := e.openDir(run)
	if err != nil {
		return err
	}
	defer dir.Close()
	scene := supervise.Scene{Why: "asked for", Full: full}
	if p, err := dir.ReadPID(); err == nil {
		switch presence.Look(p.Identity) {
		case cursor.Alive, cursor.Stopped:
			scene.PID = p.PID
		}
	}
	if cmd, err := dir.ReadCommand(); err == nil {
		scene.Dir = cmd.Dir
	}
	// Evidence is worth having without a trail too.
	if v, err := e.verdictOf(ctx, run, scene.PID != 0); err == nil {
		scene.Verdict = &v
	} else {
		e.complain(err)
	}
	path, err := supervise.Capture(ctx, dir, scene)
	if path != "" {
		e.recordCapture(ctx, run, path)
		if e.json {
			if err := e.printJSON(struct {
				Run  string `json:"run"`
				Path string `json:"path"`
			}{run, path}); err != nil {
				return err
			}
		} else {
			e.printf("%s\n", printable(path))
		}
	}
	return captureError(err)
}

// captureError gives what the directory says its exit code.
func captureError(err error) error {
	if err == nil {
		return nil
	}
	return notStarted(err)
}

// verdictOf judges the run now, by the trail.
func (e *env) verdictOf(ctx context.Context, run string, alive bool) (v policy.Verdict, err error) {
	t, err := e.thresholds()
	if err != nil {
		return v, err
	}
	r, err := e.readTrail(ctx)
	if err != nil {
		return v, err
	}
	defer r.Close()
	clock, err := r.Clock(ctx, 0)
	if err != nil {
		return v, err
	}
	readings, err := r.Readings(ctx, clock, []string{run})
	if err != nil {
		return v, err
	}
	recorded, err := r.RecordedPolicy(ctx, run)
	if err != nil {
		return v, err
	}
	reading := readings[0]
	if alive {
		reading.Presence = cursor.Alive
	}
	return t.of(reading.Family, recorded).Judge(reading, clock.Now()), nil
}

// recordCapture leaves a row that says where the evidence is. Without it the
// evidence is there all the same.
func (e *env) recordCapture(ctx context.Context, run, path string) {
	err := e.onTrail(ctx, func(s *store.Store) error {
		_, err := s.Aside(ctx, run, store.Aside{Kind: "evidence", Who: "user", Reason: path})
		return err
	})
	if err != nil {
		e.complain(err)
	}
}
