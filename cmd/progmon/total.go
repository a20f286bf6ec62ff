package main

import (
	"context"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func totalCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "total",
		Usage:     "declare or change the number of steps",
		ArgsUsage: "N [RUN]",
		UsageText: "progmon total 40 --run nightly\n" +
			"progmon total 40 nightly --closed",
		Description: "Rows are laid out for the steps that are new. Without --open or --closed an open total stays open and " +
			"a closed one closed. A total never falls below the position.",
		Flags: []cli.Flag{
			runFlag(), epochFlag(),
			&cli.BoolFlag{Name: "open", Usage: "the number may still grow"},
			&cli.BoolFlag{Name: "closed", Usage: "the number is final"},
		},
		Action: func(c *cli.Context) error {
			n, err := strconv.ParseInt(c.Args().First(), 10, 64)
			open, closed := c.Bool("open"), c.Bool("closed")
			switch {
			case err != nil || n < 0:
				return usagef("", "%s is no total: it is a whole number from 0", policy.Said(c.Args().First()))
			case open && closed:
				return usagef("", "--open and --closed exclude each other")
			}
			return e.record(c, c.Args().Tail(), func(ctx context.Context, r *store.Run) (store.Ack, error) {
				if !open && !closed {
					return r.Resize(ctx, n)
				}
				return r.SetTotal(ctx, cursor.Total{N: n, Known: true, Open: open})
			})
		},
	}
}
