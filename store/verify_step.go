package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/progmon/progmon/cursor"
)

// stepFold is one step row as the log gives it, and as the row says.
type stepFold struct {
	State                        string
	Attempts, Failures           int64
	MarkAmount, MarkOf, MarkHigh int64
	FirstBegunMS, BegunMS        int64
	FinishedMS, LastEvent        int64
}

// step folds a row of the log into its step. A terminal step is summed up and
// let go, so that memory is taken for the steps in hand only.
func (f *runFold) step(e *logRow, ended bool) {
	s := f.live[e.Step]
	if s == nil {
		s = &stepFold{State: "pending"}
	}
	if !s.fold(e, ended) {
		return
	}
	if ended {
		f.sum += s.sum(e.Step)
		delete(f.live, e.Step)
		return
	}
	f.live[e.Step] = s
}

// fold does to the step what the triggers do when the row e is appended, and
// reports whether they did. A row inserted by hand changes no step; it names
// no attempt, or another one than the step is at.
func (s *stepFold) fold(e *logRow, ended bool) bool {
	attempt := max(s.Attempts, 1)
	switch e.Kind {
	case cursor.StepBegun:
		attempt = s.Attempts + 1
	case cursor.StepFailed:
		if s.State != "running" {
			attempt = s.Attempts + 1
		}
	case cursor.StepMarked:
		attempt = s.Attempts
	}
	if e.attempt != attempt || cursor.Terminal(e.Kind) && !ended {
		return false
	}
	switch e.Kind {
	case cursor.StepMarked:
		s.MarkAmount, s.MarkOf, s.MarkHigh = e.Amount, e.OutOf, max(s.MarkHigh, e.Amount)
	case cursor.StepBegun:
		s.State, s.BegunMS = "running", e.AtMS
		if s.FirstBegunMS == 0 {
			s.FirstBegunMS = e.AtMS
		}
	case cursor.StepFailed:
		s.State = "failed"
		s.Failures++
	default:
		s.State, s.FinishedMS = strings.TrimPrefix(e.Kind, "step."), e.AtMS
	}
	s.Attempts, s.LastEvent = attempt, e.ID
	return true
}

// sum is a number that two unlike steps hardly share; the sum over the steps
// of a run does not depend on their order.
func (s *stepFold) sum(pos int64) uint64 {
	h := uint64(14695981039346656037)
	for _, n := range [...]int64{pos, int64(len(s.State)), int64(s.State[0]), s.Attempts, s.Failures, s.MarkAmount, s.MarkOf,
		s.MarkHigh, s.FirstBegunMS, s.BegunMS, s.FinishedMS, s.LastEvent} {
		h ^= uint64(n)
		h *= 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	return h
}

// readStep is the row of verify_steps.sql.
func readStep(row []value) (run string, pos int64, s stepFold) {
	run, _ = row[0].(string)
	s.State, _ = row[2].(string)
	if s.State == "" {
		s.State = "?"
	}
	s.Attempts, s.Failures = whole(row[3]), whole(row[4])
	s.MarkAmount, s.MarkOf, s.MarkHigh = whole(row[5]), whole(row[6]), whole(row[7])
	s.FirstBegunMS, s.BegunMS, s.FinishedMS, s.LastEvent = whole(row[8]), whole(row[9]), whole(row[10]), whole(row[11])
	return run, whole(row[1]), s
}

// untouched is a step that the log does not speak of.
var untouched = stepFold{State: "pending"}

// steps sums up the step rows of each run.
func (k *verifier) steps() error {
	for _, f := range k.runs {
		for pos, s := range f.live {
			f.sum += s.sum(pos)
		}
	}
	return k.read("verify_steps", func(row []value) error {
		run, pos, s := readStep(row)
		k.v.Steps++
		f := k.runs[run]
		if f == nil {
			k.v.add(Finding{Rule: RuleStep, Run: run, Step: pos, Detail: "its run is not there"})
			return nil
		}
		if pos < f.todo && (s.State == "pending" || s.State == "failed") {
			k.v.add(Finding{Rule: RuleCursor, Run: run, Step: pos, FirstEvent: f.first, LastEvent: f.last,
				Detail: fmt.Sprintf("todo is %d, beyond a step that is %s", f.todo, s.State)})
		}
		if s != untouched {
			f.rowSum += s.sum(pos)
		}
		return nil
	})
}

// compareSteps folds the log of one run again and names each step that differs.
func (k *verifier) compareSteps(run string) error {
	f := k.runs[run]
	want := map[int64]*stepFold{}
	rows := map[int64][2]int64{} // the first and last row of a step
	again := &runFold{trail: cursor.NewTrail(run, "", f.process)}
	err := k.read("verify_events_of_run", func(row []value) error {
		e := readLogRow(row)
		before := again.trail.Standing().Terminal
		if _, err := again.trail.Apply(&e.Event); err != nil || !strings.HasPrefix(e.Kind, "step.") {
			return nil
		}
		if want[e.Step] == nil {
			want[e.Step] = &stepFold{State: "pending"}
			rows[e.Step] = [2]int64{e.ID, e.ID}
		}
		rows[e.Step] = [2]int64{rows[e.Step][0], e.ID}
		want[e.Step].fold(&e, again.trail.Standing().Terminal > before)
		return nil
	}, arg{"run_id", run})
	if err != nil {
		return err
	}
	err = k.read("verify_steps_of_run", func(row []value) error {
		_, pos, got := readStep(row)
		w := want[pos]
		delete(want, pos)
		if w == nil {
			w = &stepFold{State: "pending"}
		}
		if got != *w {
			k.v.add(Finding{Rule: RuleStep, Run: run, Step: pos, FirstEvent: rows[pos][0], LastEvent: rows[pos][1],
				Detail: "the step differs from its log: " + strings.Join(differ(got, *w), ", ")})
		}
		return nil
	}, arg{"run_id", run})
	for _, pos := range slices.Sorted(maps.Keys(want)) {
		k.v.add(Finding{Rule: RuleStep, Run: run, Step: pos, FirstEvent: rows[pos][0], LastEvent: rows[pos][1], Detail: "its row is missing"})
	}
	return err
}
