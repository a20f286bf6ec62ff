package demo

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCronFindsTheSilentWorker: no monitor runs, only watch --once again and
// again, each time a process of its own. It goes on counting the silence and
// signals it once; and when another worker has taken the run over and done it,
// that is signalled once.
func TestCronFindsTheSilentWorker(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := part{run: "run", player: playPython, behave: "quiet:3", files: 4, pace: 0.05}
	quiet, err := s.start(p, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		endGroup(quiet)
		_ = quiet.Wait()
	}()

	var signals []string
	code := lookUntil(t, s, &signals, func(code int) bool { return code == 2 })
	lookUntil(t, s, &signals, func(int) bool { return true }) // nothing new
	if want := []string{"pinged", "stalled"}; code != 2 || !slices.Equal(signals, want) {
		t.Errorf("watch --once exits %d and signals %v, want 2 and %v", code, signals, want)
	}
	if state := stateOf(t, s, "run"); state != "stalled: quiet" {
		t.Errorf("status says %q, want stalled: quiet", state)
	}

	heir, err := s.start(part{run: "run", player: playBash, behave: "finish", files: 4, pace: 0.05}, time.Minute, "--resume")
	if err != nil {
		t.Fatal(err)
	}
	if err := heir.Wait(); err != nil {
		t.Fatalf("the successor: %v", err)
	}
	lookUntil(t, s, &signals, func(code int) bool { return code == 0 })
	lookUntil(t, s, &signals, func(int) bool { return true })
	if want := []string{"pinged", "stalled", "done"}; !slices.Equal(signals, want) {
		t.Errorf("signals = %v, want %v: the end of a run closes its episode", signals, want)
	}
	if state := stateOf(t, s, "run"); state != "done" {
		t.Errorf("status says %q, want done", state)
	}
}

// lookUntil runs watch --once until it exits as it should, and keeps what was
// signalled.
func lookUntil(t *testing.T, s stage, signals *[]string, there func(code int) bool) int {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for {
		look := exec.Command(s.program, "watch", "--once", "--json", "--db", s.trail(), "--policy", s.policy())
		look.Env = s.environ()
		out, err := look.Output()
		if look.ProcessState == nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(string(out)) {
			l, err := parseLine([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if l.Type == "signal" {
				*signals = append(*signals, l.Signal)
			}
		}
		code := look.ProcessState.ExitCode()
		if there(code) {
			return code
		}
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("after 30s watch --once exits %d: %s", code, out)
		}
	}
}

// stateOf is what status --json says of a run.
func stateOf(t *testing.T, s stage, run string) string {
	t.Helper()
	status := exec.Command(s.program, "status", run, "--json", "--db", s.trail(), "--policy", s.policy())
	status.Env = s.environ()
	out, err := status.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Runs []line }
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(answer.Runs) != 1 {
		t.Fatalf("status --json has %d runs, want 1: %s", len(answer.Runs), out)
	}
	return answer.Runs[0].verdict()
}
