package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func startCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "start",
		Usage:     "open a run that has no process of its own",
		ArgsUsage: "[RUN]",
		UsageText: "progmon start nightly --family export --total 20\n" +
			"progmon start --family crawl --open\n" +
			"progmon start release --steps steps.txt",
		Description: "Prints the id of the run, which is in epoch 1. Without RUN an id is made of the family and the time, " +
			"so that ids sort as the runs began. --total lays out that many pending steps, --steps one for each line of " +
			"a file, with its name. Without either the number of steps is unknown; --open says that it may honestly " +
			"grow. The thresholds that --policy has for the family are recorded with the run. The trail is made where " +
			"there is none.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "family", Usage: "the kind of work, which thresholds hang on", Value: "default",
				EnvVars: []string{"PROGMON_FAMILY"}},
			&cli.Int64Flag{Name: "total", Usage: "the `NUMBER` of steps"},
			&cli.BoolFlag{Name: "open", Usage: "the number of steps may grow"},
			&cli.StringFlag{Name: "steps", Usage: "a `FILE` of step names, a name a line; - is stdin"},
		},
		Action: func(c *cli.Context) error {
			d, err := e.declared(c)
			if err == nil && d.Run == "" {
				err = e.heard("the id of the run")
			}
			if err != nil {
				return err
			}
			return e.start(c.Context, d)
		},
	}
}

// declared is the run that the flags declare. Nothing is opened before all of
// them were found good.
func (e *env) declared(c *cli.Context) (d store.Declared, err error) {
	d.Family = c.String("family")
	if c.Args().Len() > 0 {
		d.Run = c.Args().First() // which may be "", and that is no way to ask for an id
		if err := checkRun(d.Run); err != nil {
			return d, err
		}
	}
	if err := checkFamily(d.Family); err != nil {
		return d, err
	}
	d.Total = cursor.Total{N: c.Int64("total"), Known: c.IsSet("total"), Open: c.Bool("open")}
	if d.Total.N < 0 {
		return d, usagef("", "--total %d is negative", d.Total.N)
	}
	if name := c.String("steps"); name != "" {
		if d.Steps, err = e.readSteps(name); err != nil {
			return d, err
		}
		if n := int64(len(d.Steps)); d.Total.Known && d.Total.N != n {
			return d, usagef("", "--total is %d and --steps has %d names", d.Total.N, n)
		}
	}
	d.Policy, err = e.recordedPolicy(d.Family)
	return d, err
}

// start opens the run and prints its id.
func (e *env) start(ctx context.Context, d store.Declared) error {
	s, err := e.makeTrail(ctx)
	if err != nil {
		return err
	}
	r, err := s.Start(ctx, d)
	if closed := s.Close(); err == nil {
		err = closed
	}
	switch {
	case errors.Is(err, store.ErrExists):
		return withHint(err, "progmon takeover %s continues that run", d.Run)
	case err != nil:
		return unwritable(err)
	}
	e.recorded = fmt.Sprintf("run %q is open, epoch %d", r.ID(), r.Epoch())
	if !e.json {
		e.printf("%s\n", r.ID())
		return nil
	}
	answer := struct {
		Run    string `json:"run"`
		Epoch  int64  `json:"epoch"`
		Family string `json:"family"`
		Total  *int64 `json:"total"` // null: not known
		Open   bool   `json:"open"`
	}{r.ID(), r.Epoch(), d.Family, nil, d.Total.Open}
	if n := int64(len(d.Steps)); n > 0 {
		answer.Total = &n
	} else if d.Total.Known {
		answer.Total = &d.Total.N
	}
	return e.printJSON(answer)
}
