package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func resumeCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "resume",
		Usage:       "end a hold",
		ArgsUsage:   "[RUN]",
		UsageText:   "progmon resume nightly",
		Description: "Silence counts again from now on. Without a hold in force it changes nothing.",
		Flags:       []cli.Flag{runFlag(), epochFlag()},
		Action: func(c *cli.Context) error {
			return e.record(c, optional(c), func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Resume(ctx) })
		},
	}
}
