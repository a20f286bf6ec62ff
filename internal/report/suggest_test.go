package report_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/replay"
	"github.com/progmon/progmon/internal/report"
	"github.com/progmon/progmon/policy"
)

// tape numbers and dates the rows of one run of n steps, a day into unix time.
type tape struct {
	lines []replay.Line
	run   string
	at    time.Duration
}

func begin(run, family string, n int64) *tape {
	t := &tape{run: run, at: 24 * time.Hour}
	t.row(0, cursor.RunStarted, cursor.Event{Total: cursor.Total{N: n, Known: true}})
	t.lines[0].Family = family
	return t
}

func (t *tape) row(after time.Duration, kind string, e cursor.Event) {
	t.at += after
	e.ID, e.Kind, e.Epoch, e.AtMS = int64(len(t.lines)+1), kind, 1, t.at.Milliseconds()
	t.lines = append(t.lines, replay.Line{At: t.at, Kind: kind, Run: t.run, Event: e})
}

func (t *tape) done(after time.Duration, step int64) {
	t.row(after, cursor.StepDone, cursor.Event{Step: step})
}

func TestEvidenceIsOfRunsThatEndedWell(t *testing.T) {
	good := begin("good", "export", 4)
	good.done(7*time.Second, 1)
	good.done(10*time.Second, 2)
	good.row(time.Second, cursor.Held, cursor.Event{ForMS: 60_000})
	good.row(60*time.Second, cursor.StepFailed, cursor.Event{Step: 3})
	good.done(20*time.Second, 3)
	good.done(30*time.Second, 4)
	bad := begin("bad", "export", 4)
	bad.done(time.Hour, 1)
	bad.row(time.Second, cursor.RunExited, cursor.Event{Code: 3})
	other := begin("other", "crawl", 1)
	other.done(3*time.Second, 1)
	lines := slices.Concat(good.lines, bad.lines, other.lines)

	got := report.Collect(slices.Values(lines), time.Time{})
	if len(got) != 2 || got[0].Family != "crawl" || got[1].Family != "export" {
		t.Fatalf("Collect() = %+v, want crawl and export", got)
	}
	e := got[1]
	want := []time.Duration{10 * time.Second, 20 * time.Second, 30 * time.Second}
	if e.Runs != 1 || !slices.Equal(e.Gaps, want) || !slices.Equal(e.Starts, []time.Duration{7 * time.Second}) || e.Failed != 1 || e.Rows != 1 {
		t.Errorf("Collect() = %+v, want gaps %v, without the hold", e, want)
	}
	if !slices.Equal(e.Runtimes, []time.Duration{128 * time.Second}) {
		t.Errorf("runtimes %v, want 2m8s", e.Runtimes)
	}
	p, why := e.Suggest(policy.Default())
	if p.IdleWindow != time.Minute || p.StallAfter != 2*time.Minute || p.EscalateAfter != 5*time.Minute ||
		p.StartWithin != 15*time.Second || p.CheckpointInterval != 24*time.Second || len(why) != 7 {
		t.Errorf("Suggest() = %+v\n%+v", p, why)
	}
	if later := report.Collect(slices.Values(lines), time.Unix(0, int64(48*time.Hour))); len(later) != 0 {
		t.Errorf("Collect() since later = %+v, want none", later)
	}
}

// TestSuggestedThresholdsAccuseNobodyTheyRestOn: no run that ended well would
// have been told as stalled by what is suggested from it, and the thresholds
// agree with each other.
func TestSuggestedThresholdsAccuseNobodyTheyRestOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(2, 12).Draw(t, "steps")
		run := begin("r1", "export", n)
		for step := int64(1); step <= n; step++ {
			for range rapid.IntRange(0, 6).Draw(t, "failures") {
				run.row(time.Duration(rapid.IntRange(0, 300).Draw(t, "try"))*time.Second, cursor.StepFailed, cursor.Event{Step: step})
			}
			run.done(time.Duration(rapid.IntRange(0, 4000).Draw(t, "gap"))*time.Second, step)
		}
		all := report.Collect(slices.Values(run.lines), time.Time{})
		if len(all) != 1 {
			t.Fatalf("Collect() = %+v, want one family", all)
		}
		p, _ := all[0].Suggest(policy.Default())
		if err := p.Validate(); err != nil {
			t.Fatalf("the suggested thresholds contradict each other: %v", err)
		}
		sum := replay.Play(slices.Values(run.lines), replay.DefaultInterval, func(string, string) policy.Policy { return p }, replay.Output{})
		if sum.Signals[policy.SignalStalled] != 0 || sum.Signals[policy.SignalDone] != 1 {
			t.Fatalf("signals %v, want done alone; by %+v", sum.Signals, p)
		}
	})
}

func TestQuantile(t *testing.T) {
	ten := make([]time.Duration, 10)
	for i := range ten {
		ten[i] = time.Duration(i + 1)
	}
	for _, row := range []struct {
		q    float64
		want time.Duration
	}{{0, 1}, {0.5, 5}, {0.51, 6}, {0.99, 10}, {1, 10}} {
		if got := report.Quantile(ten, row.q); got != row.want {
			t.Errorf("Quantile(1..10, %v) = %d, want %d", row.q, got, row.want)
		}
	}
	if got := report.Quantile(nil, 0.5); got != 0 {
		t.Errorf("Quantile(none) = %v", got)
	}
}

func TestRound(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		0: time.Second, time.Second: time.Second, 1001 * time.Millisecond: 2 * time.Second, 31 * time.Second: 45 * time.Second,
		46 * time.Second: time.Minute, 61 * time.Second: 2 * time.Minute, 46 * time.Minute: time.Hour, 61 * time.Minute: 2 * time.Hour, 30 * time.Hour: 30 * time.Hour,
	} {
		if got := report.Round(d); got != want {
			t.Errorf("Round(%v) = %v, want %v", d, got, want)
		}
	}
}
