package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func readyCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "ready",
		Usage:     "ask whether a run is in rotation",
		ArgsUsage: "RUN",
		UsageText: "progmon ready nightly",
		Description: "Exits 0 when the run may be given new work: it advances, has just started, or waits as it declared. Exits 1 " +
			"when it may not: it is degraded or worse, or over. Exits 3 when that cannot be seen. The reason is one line.",
		Action: func(c *cli.Context) error {
			p, err := e.picture(c.Context, []string{c.Args().First()})
			if err != nil {
				return err
			}
			if p.blind != nil {
				if e.json {
					return answerReady(e, p, nil)
				}
				return e.blindTrail(p)
			}
			return answerReady(e, p, &p.rows[0])
		},
	}
}

// answerReady prints the answer and makes it the exit code.
func answerReady(e *env, p *picture, row *watch.Row) error {
	doc := struct {
		Ready bool `json:"ready"`
		statusDoc
	}{statusDoc: p.document()}
	code := exitBlind
	if row != nil {
		v := &row.Verdict
		doc.Ready = v.InRotation()
		switch {
		case doc.Ready:
			code = exitFine
		case v.State != policy.Blind:
			code = exitDegraded
		}
		if !e.json {
			word := "not ready"
			if doc.Ready {
				word = "ready"
			}
			e.printf("%s: %s, %s\n", word, v.Says(), printable(v.Detail))
		}
	}
	if e.json {
		if err := e.printJSON(doc); err != nil {
			return err
		}
	}
	if code == exitFine {
		return nil
	}
	return exitStatus(code)
}

// inRotation is store.ErrOutOfRotation when the run may not be given new work.
// Whether it is there at all is found out by who hands out the work.
func (e *env) inRotation(ctx context.Context, r *store.Reader, run string) error {
	t, err := e.thresholds()
	if err != nil {
		return err
	}
	p := &picture{}
	if err := p.look(ctx, r, e.lookRoots([]string{run}), t, []string{run}); err != nil {
		return err
	}
	v := &p.rows[0].Verdict
	// Of what is over otherwise the trail itself says what there is to claim.
	if v.InRotation() || v.State == policy.Done || v.State == policy.Cancelled || v.State == policy.Blind && v.Reason == store.BlindNoTrail {
		return nil
	}
	return withHint(fmt.Errorf("run %q is %s: %s: %w", run, v.Says(), v.Detail, store.ErrOutOfRotation),
		"its own steps stay open to it: finishing one puts it back")
}
