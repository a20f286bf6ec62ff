package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func dbCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:        "db",
		Usage:       "verify the trail, or copy it",
		UsageText:   "progmon db verify\nprogmon db backup monday.db --verify",
		Subcommands: []*cli.Command{dbVerify(e), dbBackup(e)},
	}
}

func dbVerify(e *env) *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "work the trail out again from its log, and compare",
		ArgsUsage: "[COPY]",
		UsageText: "progmon db verify\nprogmon db verify --db trail.db --json\nprogmon db verify monday.db",
		Description: "Every cursor and step row, every rule for the rows of the log, the seals, the schema and the file itself " +
			"are looked at; nothing is changed. Exits 0 when all is as it should be. Exits 2 when something was " +
			"changed past the rules: a line for each finding says where, with the rows of the log. Exits 3 when the " +
			"trail cannot be read. Of a COPY that db backup made the digest beside it is checked first.",
		Action: func(c *cli.Context) error {
			if c.Args().Len() > 0 {
				return e.verifyCopy(c.Context, c.Args().First())
			}
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			v, err := verified(c.Context, r)
			if err != nil {
				return err
			}
			return e.printVerification(v)
		},
	}
}

// verified verifies the trail, and closes it.
func verified(ctx context.Context, r *store.Reader) (*store.Verification, error) {
	v, err := r.Verify(ctx)
	if closed := r.Close(); err == nil {
		err = closed
	}
	return v, err
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
