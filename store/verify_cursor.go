package store

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/progmon/progmon/cursor"
)

// stamped is what a cursor row says besides the Standing.
type stamped struct {
	EpochMS, StartMS, AdvanceMS, FullMS, HoldMS, HoldEndMS int64
	HoldReason                                             string
	BudgetEndMS                                            int64
	Open, Process, Live                                    int64 // as they are written
}

// cursors compares each cursor row with what the log gives.
func (k *verifier) cursors() error {
	err := k.read("verify_cursors", func(row []value) error {
		id, _ := row[0].(string)
		f := k.runs[id]
		if f == nil {
			k.v.add(Finding{Rule: RuleCursor, Run: id, Detail: "a cursor without a run"})
			return nil
		}
		f.cursor = true
		got, at, todo := readStanding(row)
		f.todo = todo
		want := f.trail.Standing()
		wantAt := stamped{f.epochMS, f.startMS, f.advanceMS, f.fullMS, f.holdMS, f.holdEndMS, f.holdReason, f.trail.BudgetEndMS(),
			flag(want.Total.Open), flag(want.Process), flag(want.Live)}
		if got != want || at != wantAt {
			k.v.add(Finding{Rule: RuleCursor, Run: id, FirstEvent: f.first, LastEvent: f.last,
				Detail: "the cursor differs from its log: " + strings.Join(append(differ(got, want), differ(at, wantAt)...), ", ")})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, f := range k.runs {
		start := f.trail.Standing()
		switch {
		case f.first == 0:
			k.v.add(Finding{Rule: RuleRun, Run: id, Detail: "no row of the log speaks of it"})
			continue
		case !f.cursor:
			k.v.add(Finding{Rule: RuleCursor, Run: id, FirstEvent: f.first, LastEvent: f.last, Detail: "its cursor is missing"})
		}
		if f.epoch != start.Epoch || f.startedMS != f.startMS {
			k.v.add(Finding{Rule: RuleRun, Run: id, FirstEvent: f.first, LastEvent: f.last,
				Detail: fmt.Sprintf("it says epoch %d, started at %d ms, and its log epoch %d at %d ms", f.epoch, f.startedMS, start.Epoch, f.startMS)})
		}
		for _, d := range f.undeclared {
			k.v.add(Finding{Rule: RuleRun, Run: id, FirstEvent: start.StartEvent, LastEvent: start.StartEvent, Detail: d})
		}
	}
	return nil
}

// readStanding is the row of verify_cursors.sql.
func readStanding(row []value) (s cursor.Standing, at stamped, todo int64) {
	n := func(i int) int64 { return whole(row[i]) }
	text := func(i int) string { s, _ := row[i].(string); return s }
	s.Epoch, s.EpochEvent, s.StartEvent = n(1), n(2), n(3)
	s.Total.N, s.Total.Known = row[4].(int64)
	s.Total.Open, s.Process = n(5) == 1, n(6) == 1
	s.Position, s.Terminal, s.Frontier = n(7), n(8), n(9)
	s.AdvanceEvent, s.AdvanceEpoch, s.Rows, s.Failed, s.Refused = n(10), n(11), n(12), n(13), n(14)
	s.Observed, s.HasObserved = row[15].(int64)
	s.ObservedTotal, s.HasObservedTotal = row[16].(int64)
	s.TotalHigh, s.RiseEvent, s.FullEvent = n(17), n(18), n(19)
	s.HoldEvent, s.HoldForMS, s.HoldEndEvent, s.SpentMS, s.BudgetEndEvent = n(20), n(21), n(22), n(23), n(24)
	s.ExitEvent, s.ExitCode, s.ExitSignal, s.ExitReason, s.AskedBy = n(25), int(n(26)), int(n(27)), text(28), text(29)
	s.CancelEvent, s.Live, s.LastEvent, s.LastMS = n(30), n(31) == 1, n(32), n(33)
	at = stamped{n(34), n(35), n(36), n(37), n(38), n(39), text(40), n(41), n(5), n(6), n(31)}
	return s, at, n(42)
}

// differ names the fields in which two values of one struct differ.
func differ(got, want any) (all []string) {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		if a, b := g.Field(i).Interface(), w.Field(i).Interface(); a != b {
			all = append(all, fmt.Sprintf("%s is %v and should be %v", g.Type().Field(i).Name, a, b))
		}
	}
	return all
}
