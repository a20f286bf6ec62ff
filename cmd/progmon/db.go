package main

import (
	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func dbCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "db",
		Usage:       "verify the trail",
		UsageText:   "progmon db verify",
		Subcommands: []*cli.Command{dbVerify(e)},
	}
}

func dbVerify(e *env) *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "work the trail out again from its log, and compare",
		UsageText: "progmon db verify\nprogmon db verify --db trail.db --json",
		Description: "Every cursor and step row, every rule for the rows of the log, the seals, the schema and the file itself " +
			"are looked at; nothing is changed. Exits 0 when all is as it should be. Exits 2 when something was " +
			"changed past the rules: a line for each finding says where, with the rows of the log. Exits 3 when the " +
			"trail cannot be read.",
		Action: func(c *cli.Context) error {
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			v, err := r.Verify(c.Context)
			if closed := r.Close(); err == nil {
				err = closed
			}
			if err != nil {
				return err
			}
			return e.printVerification(v)
		},
	}
}

// printVerification prints what was found, and makes it the exit code.
func (e *env) printVerification(v *store.Verification) error {
	if e.json {
		if err := e.printJSON(struct {
			Clean bool `json:"clean"`
			*store.Verification
		}{v.Clean(), v}); err != nil {
			return err
		}
	} else {
		for _, f := range v.Findings {
			e.printf("%s\n", printable(f.String()))
		}
		if more := v.Found - int64(len(v.Findings)); more > 0 {
			e.printf("and %d more\n", more)
		}
		verdict := "clean"
		if !v.Clean() {
			verdict = counted(v.Found, "finding")
		}
		e.printf("%s: %s, %s, %s, %s up to event %d\n", verdict,
			counted(v.Events, "event"), counted(v.Runs, "run"), counted(v.Steps, "step"), counted(v.Seals, "seal"), v.Sealed)
	}
	if !v.Clean() {
		return exitStatus(exitStalled)
	}
	return nil
}
