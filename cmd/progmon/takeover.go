package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func takeoverCommand(e *env) *cli.Command {
	var from int64
	return &cli.Command{
		Name:      "takeover",
		Usage:     "replace the worker of a run: raise its epoch",
		ArgsUsage: "[RUN]",
		UsageText: "progmon takeover nightly\n" +
			"progmon takeover nightly --from 1",
		Description: "Prints the new epoch. Whoever writes in an older one is refused from then on. With --from only that " +
			"epoch is replaced, so that of two that take over at once one gets the run and the other is told (77).",
		Flags: []cli.Flag{
			runFlag(),
			&cli.Int64Flag{Name: "from", Usage: "replace this `EPOCH` and no other", Destination: &from},
		},
		Action: func(c *cli.Context) error {
			to, err := e.target(c, optional(c)...)
			if err != nil {
				return err
			}
			if c.IsSet("from") && from < 1 {
				return usagef("", "epoch %d: epochs count from 1", from)
			}
			return e.onTrail(c.Context, func(s *store.Store) error {
				r, err := s.Takeover(c.Context, to.run, from)
				switch {
				case errors.Is(err, store.ErrFenced):
					return withHint(err, "someone else took the run over: progmon show %s", to.run)
				case err != nil:
					return to.explain(err)
				}
				e.recorded = fmt.Sprintf("run %q is in epoch %d now", r.ID(), r.Epoch())
				if !e.json {
					e.printf("%d\n", r.Epoch())
					return nil
				}
				return e.printJSON(struct {
					OK    bool   `json:"ok"`
					Run   string `json:"run"`
					Epoch int64  `json:"epoch"`
				}{true, r.ID(), r.Epoch()})
			})
		},
	}
}
