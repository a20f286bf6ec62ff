package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/replay"
	"github.com/progmon/progmon/internal/report"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func policySuggestCommand(e *env) *cli.Command {
	since := durationFlag(30 * 24 * time.Hour)
	return &cli.Command{
		Name:      "suggest",
		Usage:     "suggest thresholds from what past runs were like",
		ArgsUsage: "[FAMILY]",
		UsageText: "progmon policy suggest\nprogmon policy suggest nightly --since 90d >> policy.toml",
		Description: "Looks at the runs of a family, or of each, that exited 0 or were done, and prints a table for the policy " +
			"file that would have accused none of them: with what each threshold rests on, and with what these thresholds, " +
			"and those in force, would have said of all runs of that time. It changes nothing. Exits 66 when no run of " +
			"that time ended well.",
		Flags: []cli.Flag{newDurationFlag(&since, "since", "look at runs whose last row is no older than `LONG`")},
		Action: func(c *cli.Context) error {
			s := &suggestion{env: e, ctx: c.Context, family: c.Args().First(), since: e.now().Add(-time.Duration(since)), window: time.Duration(since)}
			if s.family != "" {
				if err := checkFamily(s.family); err != nil {
					return err
				}
			}
			var err error
			if s.thresholds, err = e.thresholds(); err != nil {
				return err
			}
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			err = s.print(r)
			if closed := r.Close(); err == nil {
				err = closed
			}
			return err
		},
	}
}

// suggestion is one call of policy suggest.
type suggestion struct {
	*env
	ctx        context.Context
	family     string // "" for all
	since      time.Time
	window     time.Duration
	thresholds *thresholds
}

// suggestedDoc is the answer for one family. Fields are only ever added.
type suggestedDoc struct {
	Family     string               `json:"family"`
	Runs       int                  `json:"runs"` // that it rests on
	Few        bool                 `json:"few"`
	Gaps       int                  `json:"gaps"`
	GapMedian  *float64             `json:"gap_median_s"`
	Gap99      *float64             `json:"gap_p99_s"`
	GapLongest *float64             `json:"gap_longest_s"`
	Suggested  map[string]string    `json:"suggested"`
	Why        map[string]string    `json:"why"`
	Told       map[string]toldCount `json:"told"` // of all runs of that time, by kind of signal
}

// toldCount is how often a signal would have been told.
type toldCount struct {
	InForce   int64 `json:"in_force"`
	Suggested int64 `json:"suggested"`
}

func (s *suggestion) print(r *store.Reader) error {
	p := &playback{env: s.env, ctx: s.ctx, thresholds: s.thresholds, interval: replay.DefaultInterval}
	h, err := p.read(r, "")
	if err != nil {
		return err
	}
	families := report.Collect(h.lines(), s.since)
	if err := h.failed(); err != nil {
		return err
	}
	suggested := map[string]policy.Policy{}
	reasons := map[string][]report.Suggested{}
	for _, f := range families {
		suggested[f.Family], reasons[f.Family] = f.Suggest(s.thresholds.of(f.Family, nil))
	}
	inForce, err := s.told(h, h.policy)
	if err != nil {
		return err
	}
	then, err := s.told(h, func(run, family string) policy.Policy {
		if p, ok := suggested[family]; ok {
			return p
		}
		return h.policy(run, family)
	})
	if err != nil {
		return err
	}
	found := 0
	for _, f := range families {
		if s.family != "" && f.Family != s.family {
			continue
		}
		doc := suggestedDoc{Family: f.Family, Runs: f.Runs, Few: f.Runs < report.Few, Gaps: len(f.Gaps),
			Suggested: map[string]string{}, Why: map[string]string{}, Told: map[string]toldCount{}}
		for _, kind := range [...]string{policy.SignalStalled, policy.SignalEscalated, policy.Pinged} {
			doc.Told[kind] = toldCount{inForce[f.Family][kind], then[f.Family][kind]}
		}
		if err := s.say(f, reasons[f.Family], doc, found > 0); err != nil {
			return err
		}
		found++
	}
	if found == 0 {
		of := "no run"
		if s.family != "" {
			of = fmt.Sprintf("no run of family %q", s.family)
		}
		return withCode(exitNoRun, withHint(fmt.Errorf("%s ended well in the last %s", of, policy.FormatDuration(s.window)),
			"thresholds are suggested from runs that exited 0 or were done; --since looks further back"))
	}
	return nil
}

// told counts, by family and kind, the signals since then under thresholds.
func (s *suggestion) told(h *history, by func(run, family string) policy.Policy) (map[string]map[string]int64, error) {
	told := map[string]map[string]int64{}
	from := time.Duration(s.since.UnixNano())
	replay.Play(until(s.ctx, h.lines()), replay.DefaultInterval, by, replay.Output{Signal: func(t replay.Signal) {
		if t.At < from {
			return
		}
		family := t.Verdict.Reading.Family
		if told[family] == nil {
			told[family] = map[string]int64{}
		}
		told[family][t.Kind]++
	}})
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	return told, h.failed()
}

func (s *suggestion) say(f *report.Evidence, all []report.Suggested, doc suggestedDoc, another bool) error {
	median, most, longest := report.Quantile(f.Gaps, 0.5), report.Quantile(f.Gaps, 0.99), report.Quantile(f.Gaps, 1)
	if s.json {
		if len(f.Gaps) > 0 {
			doc.GapMedian, doc.Gap99, doc.GapLongest = seconds(median), seconds(most), seconds(longest)
		}
		for _, each := range all {
			doc.Suggested[each.Key], doc.Why[each.Key] = each.Value, each.Why
		}
		return s.printJSON(doc)
	}
	if another {
		s.printf("\n")
	}
	s.printf("# %s: %s that ended well in the last %s, %s between advances\n", f.Family,
		counted(int64(f.Runs), "run"), policy.FormatDuration(s.window), counted(int64(len(f.Gaps)), "gap"))
	if f.Runs < report.Few {
		s.printf("# It rests on %s only: take it as a first guess.\n", counted(int64(f.Runs), "run"))
	}
	if len(f.Gaps) > 0 {
		s.printf("# Gaps: half of them under %s, 99 of 100 under %s, the longest %s.\n", policy.About(median), policy.About(most), policy.About(longest))
	}
	for _, kind := range [...]string{policy.SignalStalled, policy.SignalEscalated, policy.Pinged} {
		t := doc.Told[kind]
		s.printf("# Of all runs of that time it would have told %s %d times, where the thresholds in force tell it %d times.\n", kind, t.Suggested, t.InForce)
	}
	s.printf("[family.%s]\n", f.Family)
	for _, each := range all {
		value := each.Value
		if each.Key != "retry_limit" && each.Key != "loop_rows" {
			value = `"` + value + `"`
		}
		s.printf("%-34s # %s\n", each.Key+" = "+value, each.Why)
	}
	return nil
}
