package main

import (
	"context"
	"fmt"

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
	if scene.Verdict, err = e.verdictOf(ctx, run); err != nil {
		e.complain(err)
	}
	path, err := supervise.Capture(ctx, dir, scene)
	if path != "" {
		e.recorded = fmt.Sprintf("the evidence in %q", path)
		if scene.Verdict == nil || !scene.Verdict.Reading.Activity { // which no trail knows
			e.recordCapture(ctx, run, path)
		}
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
	return notKept(err)
}

// verdictOf is what status says of the run.
func (e *env) verdictOf(ctx context.Context, run string) (*policy.Verdict, error) {
	p, err := e.picture(ctx, []string{run})
	switch {
	case err != nil:
		return nil, err
	case p.blind != nil:
		return nil, fmt.Errorf("look at %q: %w", p.source, p.blind)
	}
	return &p.rows[0].Verdict, nil
}

// recordCapture leaves a row that says where the evidence is. Without it the
// evidence is there all the same.
func (e *env) recordCapture(ctx context.Context, run, path string) {
	err := e.onTrail(ctx, func(s *store.Store) error {
		_, err := s.Aside(ctx, run, store.Aside{Kind: "evidence", Who: "user", Reason: path})
		return err
	}, store.WithSource("user"))
	if err != nil {
		e.complain(err)
	}
}
