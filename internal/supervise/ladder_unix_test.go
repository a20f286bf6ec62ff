//go:build unix

package supervise

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/policy"
)

// A worker wedges in step 7 of 20: evidence is kept, its group is ended, the
// next epoch goes on after step 6, and no step is done twice.
func TestAWedgedWorkerIsContinued(t *testing.T) {
	p := newPlan(t, os.Args[0], "work", "7")
	p.Total, p.Policy = 20, quick()
	p.Policy.Mode, p.Policy.AutoRespawn = policy.Enforce, true
	w := wrap(t, p)
	if code := w.wait(); code != 0 {
		t.Fatalf("exit %d: %s", code, &w.stderr)
	}
	r := w.reading()
	if r.Epoch != 2 || r.Position != 20 || !r.Exit.Known || r.Exit.Code != 0 {
		t.Errorf("the run stands at epoch %d, %d/20, %+v", r.Epoch, r.Position, r.Exit)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "worked"))
	if want := "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 "; err != nil || string(text) != want {
		t.Errorf("worked = %q, %v, want each step once", text, err)
	}
	first, err := w.dir().ReadExitOf(1)
	if err != nil || first.Signal != int(syscall.SIGTERM) || first.AskedBy != "supervisor" {
		t.Errorf("worker.exit.1 = %+v, %v, want signal 15, asked by the supervisor", first, err)
	}
	// The story, in order.
	kinds := strings.Fields(w.kinds())
	at := -1
	for _, kind := range []string{"run.started", "pinged", "signal.stalled", "signal.escalated", "run.exited", "run.takeover", "signal.respawned", "run.exited"} {
		next := slices.Index(kinds[at+1:], kind)
		if next < 0 {
			t.Fatalf("the log says %v, want %s after row %d", kinds, kind, at)
		}
		at += 1 + next
	}
	if n := strings.Count(w.kinds(), "evidence"); n < 2 {
		t.Errorf("the log says %v, want evidence of the stall and of the end", kinds)
	}
	for _, name := range []string{"verdict.json", "log-tail.txt", "processes.json", "git.txt"} {
		if info, err := os.Stat(w.dir().File("evidence-1/" + name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("evidence-1/%s: %v", name, err)
		}
	}
	for _, e := range w.events() {
		if e.Kind == "run.exited" && e.Epoch == 1 && (e.Who != "supervisor" || e.Signal == nil) {
			t.Errorf("the end of epoch 1 is %+v", e)
		}
	}
}

// In observe the wrapper tells and touches nothing.
func TestObserveTouchesNothing(t *testing.T) {
	p := newPlan(t, "sh", "-c", "trap 'echo pinged' USR2; while :; do sleep 0.02; done")
	p.Total, p.Policy, p.PingSignal = 5, quick(), int(syscall.SIGUSR2)
	w := wrap(t, p)
	id := w.pid(1).Identity
	w.eventually("patience to be over", func() bool {
		began, ok := presence.Started(id)
		return !ok || strings.Contains(w.kinds(), "signal.stalled") && time.Since(began) > 2*p.Policy.EscalateAfter
	})
	if got := presence.Look(id); got != cursor.Alive {
		t.Errorf("the worker is %s, want alive", got)
	}
	if strings.Contains(w.kinds(), "run.exited") {
		t.Errorf("observe has ended the worker: %s", w.kinds())
	}
	text, err := os.ReadFile(w.dir().File("worker.log"))
	if err != nil || strings.Count(string(text), "pinged") != 1 {
		t.Errorf("the worker was pinged %q, %v, want once", text, err)
	}
	if _, err := w.dir().ReadPing(); err != nil {
		t.Error(err)
	}
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	w.wait()
}

// What crashes without a new position is tried again so often and no more.
func TestRespawnsAreBounded(t *testing.T) {
	p := newPlan(t, "sh", "-c", "echo epoch $PROGMON_EPOCH $PROGMON_RESUME; exit 9")
	p.Total, p.Policy = 3, quick()
	p.Policy.AutoRespawn, p.Policy.MaxRespawns, p.Policy.RespawnDelay = true, 2, 10*time.Millisecond
	w := wrap(t, p)
	if code := w.wait(); code != 9 {
		t.Errorf("exit %d, want the last one's 9: %s", code, &w.stderr)
	}
	text, err := os.ReadFile(w.dir().File("worker.log"))
	if want := "epoch 1\nepoch 2 1\nepoch 3 1\n"; err != nil || strings.ReplaceAll(string(text), " \n", "\n") != want {
		t.Errorf("worker.log = %q, %v", text, err)
	}
	if got := w.kinds(); strings.Count(got, "signal.gave-up") != 1 || strings.Count(got, "signal.respawned") != 2 || strings.Count(got, "run.exited") != 3 {
		t.Errorf("the log says %s", got)
	}
	for epoch := int64(1); epoch <= 3; epoch++ {
		if e, err := w.dir().ReadExitOf(epoch); err != nil || e.Code != 9 {
			t.Errorf("the record of epoch %d: %+v, %v", epoch, e, err)
		}
	}
}

// Before a run goes on, nobody of the epoch before is left.
func TestNeverTwoAtOnce(t *testing.T) {
	p := newPlan(t, "sh", "-c", `test $PROGMON_EPOCH = 1 || { kill -0 $(cat left) && exit 3; exit 0; }; (trap '' TERM; exec sleep 60) & echo $! >left; kill -9 $$`)
	p.Policy = quick()
	p.Policy.AutoRespawn, p.Policy.KillGrace = true, 200*time.Millisecond
	w := wrap(t, p)
	if code := w.wait(); code != 0 {
		t.Errorf("exit %d: 3 says that a process of epoch 1 lived beside epoch 2; %s", code, &w.stderr)
	}
}

func TestWhatFollows(t *testing.T) {
	p := quick()
	p.AutoRespawn, p.MaxRespawns = true, 2
	r := cursor.Reading{Total: cursor.Total{N: 10, Known: true}, Position: 4}
	full, unbound := r, r
	full.Position = 10
	unbound.Total = cursor.Total{}
	cancelled := r
	cancelled.Cancelled = true
	crash := cursor.Exit{Known: true, Code: 1, AskedBy: "worker"}
	off := p
	off.AutoRespawn = false
	for _, row := range []struct {
		claim    string
		p        policy.Policy
		r        cursor.Reading
		exit     cursor.Exit
		respawns int64
		want     after
	}{
		{"a crash with work left", p, r, crash, 0, goesOn},
		{"a kill after escalation", p, r, cursor.Exit{Signal: 9, AskedBy: "supervisor"}, 0, goesOn},
		{"a short success", p, r, cursor.Exit{}, 0, goesOn},
		{"enough was tried", p, r, crash, 2, gaveUp},
		{"not asked for", off, r, crash, 0, nothing},
		{"all done", p, full, cursor.Exit{}, 0, nothing},
		{"all done, and crashed", p, full, crash, 0, nothing},
		{"no bound, and crashed", p, unbound, crash, 0, goesOn},
		{"no bound, and well", p, unbound, cursor.Exit{Known: true}, 0, nothing},
		{"no bound, and vanished", p, unbound, cursor.Exit{}, 0, goesOn},
		{"stopped by a person", p, r, cursor.Exit{Signal: 15, AskedBy: "user"}, 0, nothing},
		{"cancelled", p, cancelled, crash, 0, nothing},
		{"no such command", p, r, cursor.Exit{Reason: "spawn"}, 0, nothing},
	} {
		if got := follows(row.p, row.r, row.exit, row.respawns); got != row.want {
			t.Errorf("%s: follows = %v, want %v", row.claim, got, row.want)
		}
	}
	for n, want := range []time.Duration{p.RespawnDelay, 2 * p.RespawnDelay, 4 * p.RespawnDelay} {
		if got := delay(p, int64(n)); got != want {
			t.Errorf("delay after %d = %v, want %v", n, got, want)
		}
	}
	if got := delay(p, 1000); got != longestDelay {
		t.Errorf("delay after 1000 = %v, want %v", got, longestDelay)
	}
}
