package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
)

func TestTheTimeOfALineFollowsThePlace(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	l := &lines{zone: newYork}
	for _, row := range []struct{ at, want string }{
		{"2026-03-08T06:59:58Z", "01:59:58"},
		{"2026-03-08T07:00:01Z", "03:00:01 EDT"}, // the hour that is not there
		{"2026-03-08T07:00:06Z", "03:00:06"},
		{"2026-03-09T04:00:00Z", "2026-03-09 00:00:00"},
		{"2026-11-01T05:59:59Z", "2026-11-01 01:59:59"},
		{"2026-11-01T06:00:04Z", "01:00:04 EST"}, // the hour that is there twice
		{"2027-11-01T06:00:04Z", "2027-11-01 02:00:04 EDT"},
	} {
		at, err := time.Parse(time.RFC3339, row.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.stamp(at); got != row.want {
			t.Errorf("stamp(%s) = %q, want %q", row.at, got, row.want)
		}
	}
}

// A line a change, in the words of the verdict.
func TestALineSaysWhatChanged(t *testing.T) {
	r := cursor.Reading{Run: "nightly", Epoch: 1, Position: 7, Frontier: 7, AdvanceEvent: 9, EpochMoved: true,
		Total: cursor.Total{N: 20, Known: true}, Rows: 1500, StartedAt: cursor.At(0), AdvancedAt: cursor.At(time.Hour)}
	judge := func(silence time.Duration) policy.Verdict {
		return policy.Default().Judge(r, r.AdvancedAt.Add(silence))
	}
	told := watch.Told{Signal: policy.Signal{Kind: policy.SignalStalled, Epoch: 1, Since: 9}, Event: 41}
	for _, row := range []struct {
		change watch.Change
		want   string
	}{
		{watch.Change{Row: watch.Row{Verdict: judge(17 * time.Minute)}, Before: policy.Degraded, Told: []watch.Told{told}},
			"nightly STUCK looping 7/20, no advance for 17m, 1,500 rows since · signal stalled (event 41)"},
		{watch.Change{Row: watch.Row{Verdict: judge(6 * time.Minute)}, Before: policy.Advancing,
			Told: []watch.Told{{Signal: policy.Signal{Kind: policy.Pinged}}}},
			"nightly DEGRADED looping 7/20, no advance for 6m, 1,500 rows since · pinged"},
	} {
		if got := changeLine(&row.change); got != row.want {
			t.Errorf("changeLine = %q, want %q", got, row.want)
		}
	}
}

// Silence is asserted: a look at which nothing changed says nothing, unless it
// could not be put on record, which every such look says.
func TestALookWithoutChangeIsSilent(t *testing.T) {
	var out bytes.Buffer
	l := &lines{e: newEnv(nil, &out, &out)}
	at := time.Date(2026, 3, 1, 14, 3, 7, 0, time.UTC)
	rows := func() []watch.Row { return nil }
	for i := range 100 {
		r := watch.Report{At: at.Add(time.Duration(i) * 5 * time.Second), Rows: rows, Unrecorded: errReaderGone}
		if i >= 70 {
			r.Unrecorded = nil
		}
		if err := l.look(r); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(out.String(), "UNRECORDED"); got != 70 || strings.Count(out.String(), "\n") != 70 {
		t.Errorf("100 looks, 70 of them unrecorded, said:\n%s\nwant that 70 times", &out)
	}
}

// TestAWatchWithoutLiveRunsSaysSo: a look does not know of those that ended
// before it, so it may not say that there are none.
func TestAWatchWithoutLiveRunsSaysSo(t *testing.T) {
	l := &lines{w: &watch.Watch{Interval: 5 * time.Second}, path: "trail.db"}
	r := watch.Report{First: true, Known: true, Rows: func() []watch.Row { return nil }}
	if got := l.of(r); len(got) != 1 || !strings.HasSuffix(got[0], " watching trail.db every 5s · NO RUN is going on") {
		t.Errorf("the first look at runs that ended says %q", got)
	}
}

func TestTheHeadlineIsWhatMatters(t *testing.T) {
	row := func(state policy.State) watch.Row { return watch.Row{Verdict: policy.Verdict{State: state}} }
	for _, c := range []struct {
		states []policy.State
		want   string
	}{
		{nil, "NO RUNS are recorded here"},
		{[]policy.State{policy.Advancing}, "ADVANCING  1 run"},
		{[]policy.State{policy.Advancing, policy.Advancing}, "ADVANCING  all 2 runs"},
		{[]policy.State{policy.Stuck, policy.Stalled, policy.Done, policy.Advancing}, "STUCK  2 of 3 runs are not moving, 1 done, 1 advancing"},
		{[]policy.State{policy.Blind, policy.Stuck}, "BLIND  1 of 2 runs cannot be read, 1 stuck"},
		{[]policy.State{policy.Failed, policy.Done}, "FAILED  1 of 2 runs failed, 1 done"},
		{[]policy.State{policy.Waiting, policy.Advancing}, "WAITING  1 of 2 runs, 1 advancing"},
	} {
		var rows []watch.Row
		for _, state := range c.states {
			rows = append(rows, row(state))
		}
		if got := headline(rows); got != c.want {
			t.Errorf("headline(%v) = %q, want %q", c.states, got, c.want)
		}
	}
}
