package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/replay"
)

// longestInterval bounds the time between looks: doubled and added to an
// instant it must stay one.
const longestInterval = 366 * 24 * time.Hour

func replayCommand(e *env) *cli.Command {
	interval := durationFlag(replay.DefaultInterval)
	return &cli.Command{
		Name:      "replay",
		Usage:     "judge a tape, or the past, by other thresholds",
		ArgsUsage: "[TAPE...]",
		UsageText: "progmon replay tape.jsonl --policy policy.toml\n" +
			"progmon replay --db trail.db --run nightly --policy policy.toml",
		Description: "A tape is JSON lines of what happened, {\"at\":SECONDS,\"run\":ID,\"kind\":K,…}; - is stdin. The clock is " +
			"the tape's, so that hours take no time. What the monitor would have said is printed, a line for each change " +
			"of verdict and for each signal, then a summary. With --db and without a tape it is recorded history that is " +
			"judged; without --policy by the thresholds recorded with the runs. A broken tape exits 65, one that is not " +
			"there 66, a wrong policy 78.",
		Flags: []cli.Flag{
			newDurationFlag(&interval, "interval", "tape time from look to look, `EVERY`"),
			&cli.StringFlag{Name: "run", Usage: "with --db: only this `RUN`"},
		},
		Action: func(c *cli.Context) error {
			t, err := e.thresholds()
			if err != nil {
				return err
			}
			p := &playback{env: e, ctx: c.Context, interval: time.Duration(interval), thresholds: t}
			switch tapes := c.Args().Slice(); {
			case p.interval > longestInterval:
				return usagef("", "--interval is at most 366d")
			case len(tapes) == 0 && e.dbFlag == "":
				return usagef("", "neither a tape nor a database is named")
			case len(tapes) == 0:
				return p.history(c.String("run"))
			case c.String("run") != "":
				return usagef("", "--run goes with --db")
			default:
				return p.tapes(tapes)
			}
		},
	}
}
