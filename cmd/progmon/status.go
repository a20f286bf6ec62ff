package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func statusCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "judge every run now",
		ArgsUsage: "[RUN...]",
		UsageText: "progmon status\n" +
			"progmon status --check nightly\n" +
			"progmon status --json",
		Description: "Judges from the trail itself, with or without a monitor, by the thresholds of --policy, else those " +
			"recorded with the run, else those built in. The first line is what needs a person most; it begins with " +
			"the monitor when that is late or never looked. Runs that ended are counted; --all lists them, and a run " +
			"that is named is always shown. Exits 3 when something cannot be read, else 0. With --check it exits 1 when the " +
			"worst is degraded, 2 when it is stalled, stuck, timeout or failed, and 3 when nothing is being " +
			"watched: no run at all, or a monitor that is late or never looked.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "make the worst verdict the exit code"},
			&cli.BoolFlag{Name: "all", Usage: "list the runs that ended, too"},
		},
		Action: func(c *cli.Context) error {
			var runs []string
			if c.Args().Present() {
				runs = c.Args().Slice()
			}
			p, err := e.picture(c.Context, runs)
			switch {
			case err != nil:
				return err
			case e.json:
				if err := e.printJSON(p.document()); err != nil {
					return err
				}
			case p.blind != nil:
				return e.blindTrail(p)
			default:
				e.printf("%s", p.text(e.screen(), c.Bool("all") || runs != nil))
			}
			return p.exit(c.Bool("check"))
		},
	}
}

// blindTrail is the error of a command that was asked for a verdict and can see
// nothing.
func (e *env) blindTrail(p *picture) error {
	err := error(fmt.Errorf("look at %q: %w", p.source, p.blind))
	switch p.blind.Reason {
	case store.BlindMissing:
		return withHint(err, "progmon start makes a trail; --db or PROGMON_DB names another")
	case store.BlindOlder:
		return withHint(err, "any command that writes brings it forward: progmon start, step, hold")
	}
	return err
}
