package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func holdCommand(e *env) *cli.Command {
	limit := durationFlag(0)
	return &cli.Command{
		Name:      "hold",
		Usage:     "declare a wait with a limit",
		ArgsUsage: "[RUN]",
		UsageText: "progmon hold nightly --for 20m\n" +
			"progmon hold nightly --for 2h --reason 'the export window is closed'",
		Description: "Until the limit the silence of the run is not held against it, up to the hold_cap of its policy. A new " +
			"hold takes the place of the one before; progmon resume ends it.",
		Flags: []cli.Flag{
			runFlag(), epochFlag(),
			newDurationFlag(&limit, "for", "how `LONG` at most"),
			&cli.StringFlag{Name: "reason", Usage: "why: a `TEXT` for people, cut at 4096 bytes"},
		},
		Action: func(c *cli.Context) error {
			if !c.IsSet("for") {
				return usagef("", "flag --for is missing: a hold has a limit")
			}
			return e.record(c, optional(c), func(ctx context.Context, r *store.Run) (store.Ack, error) {
				return r.Hold(ctx, time.Duration(limit), store.KeptText(c.String("reason")))
			})
		},
	}
}
