package main

import (
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func TestAdviceFitsTheKindOfRun(t *testing.T) {
	wrapped := &watch.Files{Wrapper: cursor.Alive, Log: true, Beat: time.Unix(1, 0)}
	left := &watch.Files{Log: true}
	for _, c := range []struct {
		claim  string
		state  policy.State
		reason string
		files  *watch.Files
		want   string
	}{
		{"who moves needs nothing", policy.Advancing, "", wrapped, ""},
		{"a crash has a log, and may go on or be given up", policy.Failed, "exit 3", left,
			"progmon log r says what it wrote last; progmon takeover r continues it at step 5, progmon cancel r takes it out of the checks"},
		{"a worker without a wrapper left no log here", policy.Failed, "exit 3", nil,
			"progmon takeover r continues it at step 5, progmon cancel r takes it out of the checks"},
		{"a wrapper can stop its child", policy.Stuck, policy.ReasonLooping, wrapped,
			"progmon log r and progmon capture r to see why, progmon stop r to end it"},
		{"nobody can stop what nobody wrapped", policy.Stalled, policy.ReasonQuiet, nil,
			"see whether its worker lives and end it; progmon takeover r lets another go on at step 5"},
		{"a stopped process is continued", policy.Stalled, policy.ReasonStopped, wrapped,
			"kill -CONT its process, or find out who stopped it"},
		{"early, one looks", policy.Degraded, policy.ReasonQuiet, wrapped, "progmon log r -f, if it matters"},
		{"a name that is none", policy.Blind, store.BlindNoTrail, nil, "progmon status lists the runs there are"},
	} {
		row := watch.Row{Files: c.files, Verdict: policy.Verdict{State: c.state, Reason: c.reason,
			Reading: cursor.Reading{Run: "r", Position: 4, Frontier: 4}}}
		if got := advice(&row); got != c.want {
			t.Errorf("%s: advice(%s %s) = %q, want %q", c.claim, c.state, c.reason, got, c.want)
		}
	}
}

// TestMonitorWordsCountWrappers: that nobody ever looked is no word about a run
// whose own wrapper has signalled it.
func TestMonitorWordsCountWrappers(t *testing.T) {
	row := watch.Row{Files: &watch.Files{Wrapper: cursor.Alive, Beat: time.Unix(1, 0)}, Verdict: policy.Verdict{State: policy.Stalled}}
	over := row
	over.Verdict.State = policy.Failed
	never := store.Watched{State: store.MonitorNever}
	for want, rows := range map[string][]watch.Row{
		"NO MONITOR ever looked":                                    {over},
		"NO MONITOR ever looked, only a wrapper at its own run":     {row, over},
		"NO MONITOR ever looked, only 2 wrappers at their own runs": {row, row},
	} {
		if got := monitorWords(never, wrappersAt(rows)); got != want {
			t.Errorf("%d rows: %q, want %q", len(rows), got, want)
		}
	}
}
