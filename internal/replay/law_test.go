package replay

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

func byDefault(string, string) policy.Policy { return policy.Default() }

// put numbers the rows of lines that were drawn in any order.
func put(lines []Line) []Line {
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.At, b.At) })
	id := int64(0)
	for i := range lines {
		if isRow(lines[i].Kind) {
			id++
			lines[i].Event.ID = id
		}
		lines[i].Event.Kind = lines[i].Kind
	}
	return lines
}

func rowOf(at time.Duration, kind string, e cursor.Event) Line {
	e.Kind = kind
	return Line{At: at, Kind: kind, Run: "r1", Event: e}
}

const length = 3 * time.Hour

// anyTape draws the story of a run: steps that take their time, holds,
// budgets, and a monitor that is late, blind or asleep. It ends with the line
// end.
func anyTape(t *rapid.T, asleep bool) []Line {
	instant := func(name string) time.Duration {
		return time.Duration(rapid.IntRange(0, int(length/time.Second)).Draw(t, name)) * time.Second
	}
	lines := []Line{{Kind: cursor.RunStarted, Run: "r1", Family: "f", Process: rapid.Bool().Draw(t, "process"),
		Event: cursor.Event{Total: cursor.Total{N: 50, Known: true}}}}
	for step := range rapid.IntRange(0, 12).Draw(t, "steps") {
		lines = append(lines, rowOf(instant("done"), cursor.StepDone, cursor.Event{Step: int64(step + 1)}))
	}
	for range rapid.IntRange(0, 3).Draw(t, "budgets") {
		lines = append(lines, rowOf(instant("begun"), cursor.StepBegun, cursor.Event{
			Step: rapid.Int64Range(20, 22).Draw(t, "step"), ForMS: rapid.Int64Range(1, 4000).Draw(t, "expect") * 1000}))
	}
	for range rapid.IntRange(0, 2).Draw(t, "holds") {
		lines = append(lines, rowOf(instant("hold"), cursor.Held, cursor.Event{ForMS: rapid.Int64Range(1, 4000).Draw(t, "for") * 1000}))
	}
	for range rapid.IntRange(0, 4).Draw(t, "takeovers") {
		lines = append(lines, rowOf(instant("takeover at"), cursor.RunTakeover, cursor.Event{}))
	}
	for range rapid.IntRange(0, 2).Draw(t, "gaps") {
		lines = append(lines, Line{At: instant("gap"), Kind: Gap, For: time.Duration(rapid.IntRange(1, 3000).Draw(t, "gap for")) * time.Second})
	}
	if rapid.Bool().Draw(t, "blind") {
		lines = append(lines, Line{At: instant("blind at"), Kind: Blind, Reason: "missing"}, Line{At: instant("sighted at"), Kind: Sighted})
	}
	if asleep && rapid.Bool().Draw(t, "sleeps") {
		lines = append(lines, Line{At: instant("suspend"), Kind: Suspend, For: time.Duration(rapid.IntRange(1, 3000).Draw(t, "suspend for")) * time.Second})
	}
	return put(append(lines, Line{At: length, Kind: End}))
}

// first is when a tape first says what is asked for; never, if it does not.
func first(lines []Line, asked func(policy.Verdict) bool) time.Duration {
	when := never
	Play(valuesOf(lines), DefaultInterval, byDefault, Output{Verdict: func(j Judgement) {
		if when == never && asked(j.Verdict) {
			when = j.At
		}
	}})
	return when
}

// TestRowsThatAreNoAdvanceNeverDelay: with more rows that are no advance, the
// first stalled or stuck comes no later, and neither does the first verdict
// that something is wrong. Only a failed attempt at a step with a budget is
// left out: it ends the budget, and lets the worker declare the next one, which
// hold_cap and retry_limit bound.
func TestRowsThatAreNoAdvanceNeverDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quiet := anyTape(t, false)
		busy := slices.Clone(quiet)
		for range rapid.IntRange(1, 200).Draw(t, "rows") {
			at := time.Duration(rapid.IntRange(0, int(length/time.Second)).Draw(t, "row at")) * time.Second
			kind := rapid.SampledFrom([]string{cursor.StepBegun, cursor.StepFailed, cursor.StepFailed, Activity}).Draw(t, "kind")
			lowest := int64(20)
			if kind == cursor.StepFailed {
				lowest = 23
			}
			l := rowOf(at, kind, cursor.Event{Step: rapid.Int64Range(lowest, 27).Draw(t, "row of")})
			l.Bytes = 10
			busy = append(busy, l)
		}
		busy = put(busy)
		for _, asked := range []func(policy.Verdict) bool{
			func(v policy.Verdict) bool { return v.State.Still() },
			func(v policy.Verdict) bool { return v.State.Still() || v.State == policy.Degraded },
		} {
			if before, after := first(quiet, asked), first(busy, asked); after > before {
				t.Fatalf("found at %v with the rows, at %v without\n%s\n%s", after, before,
					story(quiet, DefaultInterval, byDefault), story(busy, DefaultInterval, byDefault))
			}
		}
	})
}

// TestLooksThatAreOnlyCountedAreLooks: a tape on which something that means
// nothing happens at each slot, so that each look is made, says the same.
func TestLooksThatAreOnlyCountedAreLooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := anyTape(t, true)
		every := slices.Clone(lines[:len(lines)-1])
		for at := DefaultInterval; at <= length; at += DefaultInterval {
			every = append(every, Line{At: at, Kind: Wall})
		}
		every = append(put(every), lines[len(lines)-1])
		a, b := story(lines, DefaultInterval, byDefault), story(every, DefaultInterval, byDefault)
		if a != b {
			t.Fatalf("got\n%s\nand with each look made\n%s", a, b)
		}
	})
}

// TestTheWallClockDecidesNothing: wherever it jumps, the story is the same.
func TestTheWallClockDecidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := anyTape(t, true)
		jumpy := slices.Clone(lines[:len(lines)-1])
		for range rapid.IntRange(1, 5).Draw(t, "jumps") {
			jumpy = append(jumpy, Line{Kind: Wall, At: time.Duration(rapid.IntRange(0, 10000).Draw(t, "at")) * time.Second,
				Step: time.Duration(rapid.IntRange(-100, 100).Draw(t, "hours")) * time.Hour})
		}
		jumpy = append(put(jumpy), lines[len(lines)-1])
		if a, b := story(lines, DefaultInterval, byDefault), story(jumpy, DefaultInterval, byDefault); a != b {
			t.Fatalf("got\n%s\nand with jumps\n%s", a, b)
		}
	})
}

// TestSignalsTakeTurns: on any tape each signal is said once an epoch and
// since, recovered only after the stalled it answers, escalated only in one.
func TestSignalsTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := anyTape(t, true)
		told := map[policy.Signal]bool{}
		var open policy.Episode
		Play(valuesOf(lines), DefaultInterval, byDefault, Output{Signal: func(s Signal) {
			if told[s.Signal] {
				t.Fatalf("%+v is said twice", s.Signal)
			}
			told[s.Signal] = true
			e := policy.Episode{Epoch: s.Epoch, Since: s.Since}
			switch s.Kind {
			case policy.SignalStalled:
				open = e
			case policy.SignalRecovered, policy.SignalEscalated:
				if open != e {
					t.Fatalf("%+v while %+v is open", s.Signal, open)
				}
			}
			if s.Kind == policy.SignalRecovered {
				open = policy.Episode{}
			}
		}})
		if a, b := story(lines, DefaultInterval, byDefault), story(lines, DefaultInterval, byDefault); a != b {
			t.Fatalf("the same tape says\n%s\nand then\n%s", a, b)
		}
	})
}

// TestAnOpenEpisodeEndsByAnAdvance: from its stalled until the next advance, or
// the end, a run is stalled or stuck, whoever takes it over and whatever is
// declared. A hold is shown while it stands, and blindness is blindness.
func TestAnOpenEpisodeEndsByAnAdvance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := anyTape(t, true)
		open := int64(0)
		Play(valuesOf(lines), DefaultInterval, byDefault, Output{
			Verdict: func(j Judgement) {
				v := j.Verdict
				if v.State == policy.Blind || v.State == policy.Waiting || v.State.Still() {
					return
				}
				if open != 0 && v.Since == open && !v.State.Ended() {
					t.Fatalf("%s at %v, and no advance since %d\n%s", v.Says(), j.At, open, story(lines, DefaultInterval, byDefault))
				}
			},
			Signal: func(s Signal) {
				switch s.Kind {
				case policy.SignalStalled:
					open = s.Since
				case policy.SignalRecovered, policy.SignalDone, policy.SignalFailed, policy.SignalCancelled:
					open = 0
				}
			},
		})
	})
}

// TestATenRowsASecondLoop: a retry loop that writes ten rows a second and never
// moves is stuck within stall_after and a look of its last advance, and never
// advancing after the look that saw that.
func TestATenRowsASecondLoop(t *testing.T) {
	for _, kinds := range [][]string{
		{cursor.StepBegun, cursor.StepFailed},
		{cursor.StepBegun},
		{cursor.StepDone},
		{cursor.StepMarked},
	} {
		t.Run(strings.Join(kinds, " "), func(t *testing.T) {
			lines := []Line{{Kind: cursor.RunStarted, Run: "r1", Process: true, Event: cursor.Event{Total: cursor.Total{N: 9, Known: true}}},
				rowOf(time.Minute, cursor.StepDone, cursor.Event{Step: 1}),
				rowOf(time.Minute, cursor.StepMarked, cursor.Event{Step: 2, Amount: 5, OutOf: 9})}
			for i := range 40 * 60 * 10 {
				e := cursor.Event{Step: 2, Amount: 5, OutOf: 9}
				kind := kinds[i%len(kinds)]
				if kind == cursor.StepDone {
					e.Step = 1
				}
				lines = append(lines, rowOf(time.Minute+time.Duration(i+1)*100*time.Millisecond, kind, e))
			}
			lines = put(lines)
			stuck := first(lines, func(v policy.Verdict) bool { return v.State == policy.Stuck && v.Reason == policy.ReasonLooping })
			if limit := time.Minute + policy.Default().StallAfter + DefaultInterval; stuck > limit {
				t.Errorf("stuck at %v, want by %v", stuck, limit)
			}
			signals := map[string]int{}
			Play(valuesOf(lines), DefaultInterval, byDefault, Output{
				Verdict: func(j Judgement) {
					if j.Verdict.State == policy.Advancing && j.At > time.Minute {
						t.Errorf("advancing at %v", j.At)
					}
				},
				Signal: func(s Signal) { signals[s.Kind]++ },
			})
			if signals["stalled"] != 1 || signals["recovered"] != 0 {
				t.Errorf("signals %v, want one stalled", signals)
			}
		})
	}
}

func valuesOf(lines []Line) iter.Seq[Line] { return slices.Values(lines) }
