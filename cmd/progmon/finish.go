package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func finishCommand(e *env) *cli.Command {
	var code int64
	return &cli.Command{
		Name:      "finish",
		Usage:     "record how a run ended",
		ArgsUsage: "[RUN]",
		UsageText: "progmon finish nightly --code 0",
		Description: "An epoch ends once. With 0 the run is done if its steps are: 0 with steps left over is a failure, " +
			"short. A run that was declared open is done only by this.",
		Flags: []cli.Flag{
			runFlag(), epochFlag(),
			&cli.Int64Flag{Name: "code", Usage: "the exit `CODE`, 0 to 255", Destination: &code},
		},
		Action: func(c *cli.Context) error {
			switch {
			case !c.IsSet("code"):
				return usagef("", "flag --code is missing")
			case code < 0 || code > 255:
				return usagef("", "--code %d is not 0 to 255", code)
			}
			return e.record(c, optional(c), func(ctx context.Context, r *store.Run) (store.Ack, error) {
				return r.Finish(ctx, cursor.Exit{Code: int(code), AskedBy: "worker"})
			})
		},
	}
}
