package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// shownSteps is how many steps at work are shown.
const shownSteps = 10

func showCommand(e *env) *cli.Command {
	events := 20
	return &cli.Command{
		Name:      "show",
		Usage:     "judge one run, with the evidence",
		ArgsUsage: "RUN",
		UsageText: "progmon show nightly\n" +
			"progmon show nightly --events 100",
		Description: "The verdict on a run, what it rests on, the thresholds in force and where they came from, the steps at " +
			"work, what was signalled, and the end of its log. Exits 3 when the run or the trail cannot be read.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "events", Usage: "the last `MANY` rows of the log", Value: events, Destination: &events},
		},
		Action: func(c *cli.Context) error {
			if events < 0 || events > 100_000 {
				return usagef("", "--events %d: it is 0 to 100000", events)
			}
			s, err := e.shown(c.Context, c.Args().First(), events)
			switch {
			case err != nil:
				return err
			case e.json:
				if err := e.printJSON(s.document()); err != nil {
					return err
				}
			case s.blind != nil:
				return e.blindTrail(s.picture)
			default:
				e.printf("%s", s.text(e.screen()))
			}
			return s.exit(false)
		},
	}
}

// shown is one run with all that is told of it.
type shown struct {
	*picture
	steps    []store.Step // running, then failed
	last     *store.Step  // the step of the last advance
	signals  []store.Event
	log      []store.Event
	asked    int // how many rows of the log were asked for
	families *thresholds
}

func (e *env) shown(ctx context.Context, run string, events int) (*shown, error) {
	s := &shown{asked: events}
	var err error
	if s.picture, err = e.picture(ctx, []string{run}); err != nil || s.blind != nil {
		return s, err
	}
	if s.families, err = e.thresholds(); err != nil {
		return s, err
	}
	if s.rows[0].Verdict.Reading.Activity {
		return s, nil // there are no rows
	}
	r, err := e.readTrail(ctx)
	if err == nil {
		err = s.more(ctx, r, run)
		if closed := r.Close(); err == nil {
			err = closed
		}
	}
	if errors.As(err, &s.blind) {
		return s, nil
	}
	return s, err
}

// more reads what a status does not need. A run that cannot be read has none.
func (s *shown) more(ctx context.Context, r *store.Reader, run string) error {
	v := &s.rows[0].Verdict
	if v.State == policy.Blind && v.Reason == store.BlindNoTrail {
		return nil
	}
	var err error
	if s.steps, err = r.AtWork(ctx, run, shownSteps+1); err != nil {
		return err
	}
	if id := v.Reading.AdvanceEvent; id != 0 {
		last, found, err := r.StepOf(ctx, id)
		if err != nil {
			return err
		}
		if found {
			s.last = &last
		}
	}
	if s.signals, err = r.Events(ctx, store.EventFilter{Run: run, Newest: true, Signals: true, Limit: 10}); err != nil {
		return err
	}
	if s.asked > 0 {
		s.log, err = r.Events(ctx, store.EventFilter{Run: run, Newest: true, Limit: s.asked})
	}
	return err
}

// showDoc is the answer of show: that of status for one run, and more.
type showDoc struct {
	statusDoc
	Steps []stepDoc `json:"steps"` // at work: running, then failed
	// LastStep is the step of the last advance; null when there was none, or
	// the cursor was observed.
	LastStep *stepDoc      `json:"last_step"`
	Signals  []store.Event `json:"signals"` // the last ones, oldest first
	Events   []store.Event `json:"events"`  // the last ones, oldest first
}

type stepDoc struct {
	Step     int64    `json:"step"`
	Name     *string  `json:"name"`
	State    string   `json:"state"`
	Attempts int64    `json:"attempts"`
	Failures int64    `json:"failures"`
	Begun    *string  `json:"begun_at"`
	Expect   *float64 `json:"expect_s"`
	Mark     *int64   `json:"mark"`
	Of       *int64   `json:"of"`
	Note     *string  `json:"note"`
}

func (s *shown) document() showDoc {
	d := showDoc{statusDoc: s.picture.document(), Steps: []stepDoc{}, Signals: s.signals, Events: s.log}
	for _, step := range s.steps {
		d.Steps = append(d.Steps, documentStep(step))
	}
	if s.last != nil {
		last := documentStep(*s.last)
		d.LastStep = &last
	}
	if d.Signals == nil {
		d.Signals = []store.Event{}
	}
	if d.Events == nil {
		d.Events = []store.Event{}
	}
	return d
}

func documentStep(s store.Step) stepDoc {
	d := stepDoc{Step: s.Pos, State: s.State, Attempts: s.Attempts, Failures: s.Failures, Begun: instant(s.Begun)}
	if s.Name != "" {
		d.Name = &s.Name
	}
	if s.Expect > 0 {
		d.Expect = seconds(s.Expect)
	}
	if s.Of > 0 {
		d.Mark, d.Of = &s.Mark, &s.Of
	}
	if s.Note != "" {
		d.Note = &s.Note
	}
	return d
}
