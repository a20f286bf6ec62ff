package replay

import (
	"context"
	"iter"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// Log is where recorded history is read from. *store.Reader is one.
type Log interface {
	Events(context.Context, store.EventFilter) ([]store.Event, error)
}

// Declared is what a run was declared with that is not in its rows.
type Declared struct {
	Family  string
	Process bool
}

// History is recorded history as a tape: the rows of the log of one run, or of
// all for "", and the silence after them until the instant now. At is unix
// time. Where the log could not be read to its end the lines stop there, and
// failed says why.
//
// The stamps are what the writers' wall clocks showed, and the rows are in the
// order in which they were written. A stamp behind the row before counts as that
// row's, and a single one ahead of the row after it as that one's. What the
// monitor of the time saw or missed is not replayed.
func History(ctx context.Context, log Log, run string, declared map[string]Declared, now time.Time) (lines iter.Seq[Line], failed func() error) {
	var fault error
	lines = func(yield func(Line) bool) {
		filter := store.EventFilter{Run: run, Limit: 5000}
		var held *Line
		var last time.Duration
		give := func(l *Line) bool {
			l.At = max(l.At, last)
			last = l.At
			return yield(*l)
		}
		for {
			events, err := log.Events(ctx, filter)
			if err != nil {
				fault = err
				return
			}
			for i := range events {
				l, ok := lineOf(&events[i], declared)
				if !ok {
					continue
				}
				if held != nil {
					if l.At < held.At && l.At >= last {
						held.At = l.At
					}
					if !give(held) {
						return
					}
				}
				held = &l
			}
			if len(events) == 0 {
				break
			}
			filter.Since = events[len(events)-1].ID
		}
		if held == nil || give(held) {
			give(&Line{Kind: End, At: time.Duration(now.UnixMilli()) * time.Millisecond})
		}
	}
	return lines, func() error { return fault }
}

// latestMS is a stamp of the year 2255, the latest that a duration since 1970
// can hold with something to spare.
const latestMS = 9_000_000_000_000

// lineOf is a row of the log as a line. Rows that say nothing of where a run
// stands are left out.
func lineOf(e *store.Event, declared map[string]Declared) (Line, bool) {
	switch e.Kind {
	case cursor.RunStarted, cursor.RunTotal, cursor.RunTakeover, cursor.RunExited, cursor.RunCancelled,
		cursor.RunStopped, cursor.RunContinued, cursor.Observed, cursor.Held, cursor.Resumed, cursor.Refused,
		cursor.StepBegun, cursor.StepDone, cursor.StepFailed, cursor.StepSkipped, cursor.StepCancelled, cursor.StepMarked:
	default:
		return Line{}, false
	}
	d := declared[e.Run]
	l := Line{
		At: time.Duration(min(max(e.At.UnixMilli(), 0), latestMS)) * time.Millisecond, Kind: e.Kind, Run: e.Run,
		Family: d.Family, Process: d.Process, Event: EventOf(e),
	}
	return l, true
}

// EventOf is a row of the log as the fold takes it.
func EventOf(e *store.Event) cursor.Event {
	number := func(p *int64) int64 {
		if p == nil {
			return 0
		}
		return *p
	}
	return cursor.Event{
		ID: e.ID, AtMS: e.At.UnixMilli(), Kind: e.Kind, Epoch: e.Epoch, Source: e.Source,
		Step: number(e.Step), Amount: number(e.Amount), OutOf: number(e.OutOf), ForMS: e.For.Milliseconds(),
		Position: number(e.Position),
		Total:    cursor.Total{N: number(e.Total), Known: e.Total != nil, Open: e.Open},
		Code:     int(number(e.Code)), Signal: int(number(e.Signal)), Reason: e.Reason, Who: e.Who,
	}
}
