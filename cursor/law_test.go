package cursor

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyEvent draws a row of a run in some epoch, honest or not.
func anyEvent(t *rapid.T, epoch int64) Event {
	e := Event{Epoch: epoch, Step: rapid.Int64Range(0, 12).Draw(t, "step")}
	e.Kind = rapid.SampledFrom([]string{
		StepBegun, StepDone, StepDone, StepFailed, StepSkipped, StepCancelled, StepMarked,
		RunTotal, Observed, Held, Resumed, RunTakeover, RunExited, Refused, "note",
	}).Draw(t, "kind")
	e.Amount, e.OutOf = rapid.Int64Range(0, 5).Draw(t, "amount"), 5
	e.ForMS = rapid.Int64Range(0, 9000).Draw(t, "for")
	e.Position = rapid.Int64Range(0, 12).Draw(t, "position")
	e.Total = Total{N: rapid.Int64Range(0, 14).Draw(t, "total"), Known: rapid.Bool().Draw(t, "known"), Open: rapid.Bool().Draw(t, "open")}
	if e.Kind == RunTakeover {
		e.Epoch++
	}
	return e
}

// TestTheLawsOfTheFold: position never falls, it is never below the terminal
// steps, nor those below the frontier; an advance and nothing else empties the
// rows since; a refused row and one of a fenced worker change nothing.
func TestTheLawsOfTheFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trail := NewTrail("r", "f", rapid.Bool().Draw(t, "process"))
		id, now := int64(1), time.Duration(0)
		start := Event{ID: 1, Kind: RunStarted, Epoch: 1, Awake: At(0),
			Total: Total{N: 12, Known: rapid.Bool().Draw(t, "bound"), Open: rapid.Bool().Draw(t, "open")}}
		if _, err := trail.Apply(&start); err != nil {
			t.Fatal(err)
		}
		done := map[int64]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "rows") {
			before := trail.Standing()
			e := anyEvent(t, before.Epoch)
			fenced := before.Epoch > 1 && rapid.IntRange(0, 4).Draw(t, "late writer") == 0
			if fenced {
				e.Epoch = before.Epoch - 1
			}
			id, now = id+1, now+time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms"))*time.Millisecond
			e.ID, e.AtMS, e.Awake = id, now.Milliseconds(), At(now)
			advance, err := trail.Apply(&e)
			after := trail.Standing()
			switch {
			case err != nil && after != before:
				t.Fatalf("%s was refused (%v) and moved\n%+v to\n%+v", e.Kind, err, before, after)
			case fenced && e.Kind != Refused && err == nil:
				t.Fatalf("%s of epoch %d was taken in epoch %d", e.Kind, e.Epoch, before.Epoch)
			case after.Position < before.Position:
				t.Fatalf("position fell from %d to %d", before.Position, after.Position)
			case after.Frontier > after.Terminal || after.Terminal > after.Position:
				t.Fatalf("%+v", after)
			case advance != (after.AdvanceEvent == id) || advance && (after.Rows != 0 || after.Failed != 0):
				t.Fatalf("advance %v, %+v", advance, after)
			case !advance && (after.Rows < before.Rows || after.AdvanceEvent != before.AdvanceEvent):
				t.Fatalf("no advance, and rows since fell: %+v to %+v", before, after)
			}
			if err == nil && Terminal(e.Kind) {
				done[e.Step] = true
			}
			if int64(len(done)) != after.Terminal {
				t.Fatalf("%d steps are terminal, the fold says %d", len(done), after.Terminal)
			}
			r := trail.Reading(At(now), time.Minute)
			if r.Spent < 0 || r.AdvancedAt.After(At(now)) || r.Hold.At.After(At(now)) {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// TestTheFoldIsAFunction: the same rows give the same standing.
func TestTheFoldIsAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := []Event{{ID: 1, Kind: RunStarted, Epoch: 1, Total: Total{N: 12, Known: true}}}
		for range rapid.IntRange(1, 40).Draw(t, "rows") {
			e := anyEvent(t, 1)
			e.ID = int64(len(events) + 1)
			e.AtMS = e.ID * 1000
			events = append(events, e)
		}
		fold := func() Standing {
			trail := NewTrail("r", "f", false)
			for i := range events {
				_, _ = trail.Apply(&events[i]) // what is refused changes nothing
			}
			return trail.Standing()
		}
		if a, b := fold(), fold(); a != b {
			t.Fatalf("%+v, then %+v", a, b)
		}
	})
}

func BenchmarkFold(b *testing.B) {
	trail := NewTrail("r", "f", false)
	start := Event{ID: 1, Kind: RunStarted, Epoch: 1}
	if _, err := trail.Apply(&start); err != nil {
		b.Fatal(err)
	}
	e := Event{Kind: StepDone, Epoch: 1}
	b.ReportAllocs()
	for i := range b.N {
		e.ID, e.AtMS, e.Step = int64(i+2), int64(i), int64(i+1)
		if _, err := trail.Apply(&e); err != nil {
			b.Fatal(err)
		}
	}
}
