package main

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/doctor"
)

func doctorCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "find out what is wrong with this machine's set-up",
		UsageText: "progmon doctor\nprogmon doctor --policy policy.toml --json",
		Description: "Looks at the trail and what it lies on, permissions, room on the disk, the clock, who watches, the policy file " +
			"and whether its sinks can be reached, and says what to do about each finding. It changes nothing and sends " +
			"nothing. Exits 0 when all is well, or could merely be better, 1 when something will hurt some day, 2 when " +
			"something does not work.",
		Action: func(c *cli.Context) error {
			path, err := e.db()
			if err != nil {
				return err
			}
			if path, err = filepath.Abs(path); err != nil {
				return err
			}
			v := &doctor.Visit{Path: path, Policy: e.policy(), Now: e.now}
			findings := v.Examine(c.Context)
			if err := c.Context.Err(); err != nil {
				return err
			}
			worst := doctor.Worst(findings)
			if e.json {
				err := e.printJSON(struct {
					Worst    doctor.Level     `json:"worst"`
					Findings []doctor.Finding `json:"findings"`
				}{worst, findings})
				if err != nil {
					return err
				}
			} else {
				for _, f := range findings {
					e.printf("%-4s  %-12s  %s\n", f.Level, printable(f.Check), printable(f.Text))
					if f.Do != "" {
						e.printf("%-4s  %-12s  do: %s\n", "", "", printable(f.Do))
					}
				}
			}
			switch worst {
			case doctor.Bad:
				return exitStatus(exitStalled)
			case doctor.Warn:
				return exitStatus(exitDegraded)
			}
			return nil
		},
	}
}
