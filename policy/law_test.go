package policy

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
)

// anyPolicy draws thresholds that agree, of which many coincide.
func anyPolicy(t *rapid.T) Policy {
	minutes := func(name string, least, most int) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * minute
	}
	p := Default()
	p.IdleWindow = minutes("idle", 1, 10)
	p.StallAfter = p.IdleWindow + minutes("stall", 1, 20)
	p.EscalateAfter = p.StallAfter + minutes("escalate", 1, 60)
	p.StartWithin = minutes("start", 0, 30)
	p.ExitGrace = minutes("exit", 0, 10)
	p.MaxRuntime = minutes("max", 0, 300)
	p.HoldCap = minutes("cap", 0, 240)
	p.VanishGrace = minutes("vanish", 0, 2)
	p.RetryLimit = rapid.Int64Range(1, 6).Draw(t, "retry")
	p.LoopRows = rapid.Int64Range(1, 6).Draw(t, "loop")
	return p
}

// anyReading draws a reading whose past lies before at(600m).
func anyReading(t *rapid.T) cursor.Reading {
	instant := func(name string, least int) time.Time {
		return at(time.Duration(rapid.IntRange(least, 600).Draw(t, name)) * minute)
	}
	some := func(name string) bool { return rapid.IntRange(0, 3).Draw(t, name) == 0 }
	span := func(name string, event int64) cursor.Span {
		s := cursor.Span{Event: event, At: instant(name, 0)}
		s.Until = s.At.Add(time.Duration(rapid.IntRange(1, 300).Draw(t, name+" length")) * minute)
		return s
	}
	r := cursor.Reading{
		Run: "r", Epoch: 1, StartEvent: 1, StartedAt: at(0), EpochEvent: 1, EpochAt: instant("epoch", 0),
		Total: cursor.Total{
			N: rapid.Int64Range(0, 9).Draw(t, "total"), Known: !some("no total"), Open: some("open")},
		Position: rapid.Int64Range(0, 9).Draw(t, "position"),
		Process:  rapid.Bool().Draw(t, "process"),
		Rows:     rapid.Int64Range(0, 8).Draw(t, "rows"),
		Failed:   rapid.Int64Range(0, 8).Draw(t, "failed"),
		Growth:   rapid.Int64Range(0, 8).Draw(t, "growth"),
		Unsure:   some("unsure"),
		Told:     some("told"),
		Carried:  some("carried"),
		Spent:    time.Duration(rapid.IntRange(0, 300).Draw(t, "spent")) * minute,
	}
	if rapid.Bool().Draw(t, "advanced") {
		r.AdvanceEvent, r.AdvancedAt = 5, instant("advance", 0)
		r.EpochMoved = !r.AdvancedAt.Before(r.EpochAt)
	}
	if !r.EpochMoved {
		r.Takeovers = rapid.Int64Range(0, 7).Draw(t, "takeovers")
	}
	if r.Full() {
		r.FullAt = instant("full", 0)
	}
	if some("hold") {
		r.Hold = span("hold", 6)
		if rapid.Bool().Draw(t, "resumed") {
			r.Hold.Ended = instant("resume", 0)
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "budgets") {
		r.Budgets = append(r.Budgets, span("budget", int64(7+i)))
	}
	if some("budget ended") {
		r.BudgetEnded = instant("budget end", 0)
	}
	if some("gone") {
		r.Presence, r.GoneSince = cursor.Gone, instant("gone since", 0)
	}
	if some("observed") {
		r.HasObserved, r.Observed = true, rapid.Int64Range(0, 9).Draw(t, "observed at")
	}
	if some("rising") {
		r.Rising = true
		last := 0
		for range rapid.IntRange(0, 5).Draw(t, "samples") {
			last = rapid.IntRange(last, 600).Draw(t, "sample")
			r.Samples = append(r.Samples, cursor.Sample{
				At: at(time.Duration(last) * minute), Position: rapid.Int64Range(0, r.Position).Draw(t, "was at"),
				Total: rapid.Int64Range(0, 9).Draw(t, "was of")})
		}
	}
	return r
}

// TestNextIsWhenTimeAloneChangesAVerdict: from now until Next the verdict is
// the same, at Next it is another, and where Next is zero it is the same for
// ever.
func TestNextIsWhenTimeAloneChangesAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, r := anyPolicy(t), anyReading(t)
		now := at(time.Duration(rapid.IntRange(600, 900).Draw(t, "now")) * minute)
		v := p.Judge(r, now)
		until := now.Add(48 * hour)
		if !v.Next.IsZero() {
			until = v.Next
			if !v.Next.After(now) {
				t.Fatalf("Next = %v, not after now %v", v.Next, now)
			}
			if next := p.Judge(r, v.Next); next.Says() == v.Says() {
				t.Fatalf("at Next, in %v, the verdict is %s still", v.Next.Sub(now), v.Says())
			}
		}
		if !v.Due.IsZero() && !v.Due.After(now) || !v.Next.IsZero() && (v.Due.IsZero() || v.Due.After(v.Next)) {
			t.Fatalf("Due = %v, with now %v and Next %v", v.Due, now, v.Next)
		}
		for range 20 {
			span := until.Sub(now) - 1
			later := now.Add(time.Duration(rapid.Int64Range(0, int64(span)).Draw(t, "later")))
			if got := p.Judge(r, later); got.Says() != v.Says() {
				t.Fatalf("after %v the verdict is %s, was %s, and Next is in %v", later.Sub(now), got.Says(), v.Says(), v.Next.Sub(now))
			}
		}
	})
}

// TestMoreRowsNeverDelay: with more rows, failed attempts or log growth, and
// nothing else, a verdict that was stalled or stuck is so no later.
func TestMoreRowsNeverDelay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, r := anyPolicy(t), anyReading(t)
		now := at(time.Duration(rapid.IntRange(600, 900).Draw(t, "now")) * minute)
		before := p.Judge(r, now)
		r.Rows += rapid.Int64Range(0, 50).Draw(t, "more rows")
		r.Failed += rapid.Int64Range(0, 50).Draw(t, "more failed")
		r.Growth += rapid.Int64Range(0, 50).Draw(t, "more growth")
		after := p.Judge(r, now)
		if before.State.Still() && !after.State.Still() {
			t.Fatalf("%s became %s", before.Says(), after.Says())
		}
		if after.State == Advancing && before.State != Advancing {
			t.Fatalf("%s became advancing", before.Says())
		}
	})
}

// TestJudgeIsAFunction: the same arguments give the same verdict.
func TestJudgeIsAFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, r := anyPolicy(t), anyReading(t)
		now := at(time.Duration(rapid.IntRange(0, 900).Draw(t, "now")) * minute)
		a, b := p.Judge(r, now), p.Judge(r, now)
		if a.Says() != b.Says() || a.Detail != b.Detail || a.Next != b.Next || a.Silence != b.Silence {
			t.Fatalf("%+v, then %+v", a, b)
		}
	})
}

// TestSilenceIsBounded: whatever was declared, a run that advanced last at some
// instant and is not full is stalled or stuck once hold_cap and stall_after
// have passed twice.
func TestSilenceIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, r := anyPolicy(t), anyReading(t)
		p.MaxRuntime = 0
		r.Total.Known, r.Unsure, r.HasObserved, r.Presence = false, false, false, cursor.NoProcess
		last := later(later(r.AdvancedAt, r.EpochAt), r.StartedAt)
		v := p.Judge(r, last.Add(p.HoldCap+p.StallAfter+max(p.StallAfter, p.startGrace())))
		if !v.State.Still() && v.State != Waiting {
			t.Fatalf("%s (%s)", v.Says(), v.Detail)
		}
	})
}
