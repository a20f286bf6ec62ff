package main

import (
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func cancelCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "cancel",
		Usage:     "end a run because a person says so",
		ArgsUsage: "RUN",
		UsageText: "progmon cancel nightly\n" +
			"progmon cancel nightly --by ada --note 'superseded'",
		Description: "It holds whatever the epoch is: the run takes no more steps and is not continued. It ends no process. " +
			"Of a run that failed it says that this was dealt with: how it ended stays on record and in what status says " +
			"of it, and watch --once and status --check count it no more.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "by", Usage: "`WHO` says so", EnvVars: []string{"PROGMON_BY"}},
			&cli.StringFlag{Name: "note", Usage: "why: a `TEXT` for people, cut at 4096 bytes"},
		},
		Action: func(c *cli.Context) error {
			to := target{run: c.Args().First(), named: true}
			by := firstOf(c.String("by"), e.getenv("USER"))
			if err := checkRun(to.run); err != nil {
				return err
			}
			if len(by) > 200 || !utf8.ValidString(by) {
				return usagef("", "--by is a name of at most 200 bytes")
			}
			return e.onTrail(c.Context, func(s *store.Store) error {
				ack, err := s.Cancel(c.Context, to.run, by, store.KeptText(c.String("note")))
				if err != nil {
					return to.explain(err)
				}
				return e.acknowledge(ack)
			})
		},
	}
}
