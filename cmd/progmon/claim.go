package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func claimCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "claim",
		Usage:     "take the next step of a run",
		ArgsUsage: "[RUN]",
		UsageText: "progmon claim nightly",
		Description: "Takes the lowest step that is pending or failed, or that a replaced worker left running, begins it and " +
			"prints it: its name, or its number where it has none. No two workers are given the same step. Exits 4 " +
			"when no step is left, and 5 when the run is out of rotation: a run that does not move is given no new " +
			"work, while the steps it has stay open to it.",
		Flags: []cli.Flag{runFlag(), epochFlag()},
		Action: func(c *cli.Context) error {
			to, err := e.target(c, optional(c)...)
			if err != nil {
				return err
			}
			return e.onTrail(c.Context, func(s *store.Store) error { return e.claim(c, s, to) })
		},
	}
}

func (e *env) claim(c *cli.Context, s *store.Store, to target) error {
	if err := e.heard("which step was claimed"); err != nil {
		return err
	}
	if err := e.inRotation(c.Context, s.Reader, to.run); err != nil {
		return to.explain(err)
	}
	got, err := s.Run(to.run, to.epoch).Claim(c.Context)
	switch {
	case errors.Is(err, store.ErrNoStep):
		return withCode(exitNoStep, err)
	case err != nil:
		return to.explain(err)
	}
	e.recorded = fmt.Sprintf("step %s of run %q is claimed (event %d)", stepWord(got), to.run, got.Ack.Event)
	if !e.json {
		e.printf("%s\n", stepWord(got))
		return nil
	}
	return e.printJSON(struct {
		OK       bool   `json:"ok"`
		Run      string `json:"run"`
		Step     int64  `json:"step"`
		Name     string `json:"name,omitempty"`
		Attempt  int64  `json:"attempt"`
		Event    int64  `json:"event"`
		Position int64  `json:"position"`
	}{true, to.run, got.Pos, got.Name, got.Attempt, got.Ack.Event, got.Ack.Position})
}

// stepWord is the word by which step done is told of a step: its name, or its
// number where the name is none or would be read as something else.
func stepWord(got store.Claimed) string {
	if store.CheckStepName(got.Name) != nil || strings.HasPrefix(got.Name, "-") || printable(got.Name) != got.Name {
		return strconv.FormatInt(got.Pos, 10)
	}
	return got.Name
}
