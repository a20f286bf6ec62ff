package policy

import "testing"

func TestWhoIsAccusedBySilence(t *testing.T) {
	for _, row := range []struct {
		v    Verdict
		want bool
	}{
		{Verdict{State: Stalled, Reason: ReasonQuiet}, true},
		{Verdict{State: Stuck, Reason: ReasonLooping}, true},
		{Verdict{State: Degraded, Reason: ReasonQuiet}, true},
		{Verdict{State: Degraded, Reason: ReasonLooping}, true},
		{Verdict{State: Degraded, Reason: ReasonNeverStarted}, true},
		{Verdict{State: Degraded, Reason: ReasonUnexited}, false},
		{Verdict{State: Degraded, Reason: ReasonReceding}, false},
		{Verdict{State: Degraded, Reason: ReasonRegressed}, false},
		{Verdict{State: Timeout, Reason: ReasonMaxRuntime}, false},
		{Verdict{State: Advancing}, false},
		{Verdict{State: Blind}, false},
	} {
		if got := row.v.BySilence(); got != row.want {
			t.Errorf("%s: BySilence = %v, want %v", row.v.Says(), got, row.want)
		}
	}
}
