//go:build unix

package supervise

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

func TestTheExitIsKeptAndReturned(t *testing.T) {
	for _, row := range []struct {
		claim  string
		argv   []string
		code   int
		record string
		row    cursor.Exit
	}{
		{"success", []string{"true"}, 0, "", cursor.Exit{}},
		{"a code", []string{"sh", "-c", "exit 3"}, 3, "", cursor.Exit{Code: 3}},
		{"the largest code", []string{"sh", "-c", "exit 255"}, 255, "", cursor.Exit{Code: 255}},
		{"a signal", []string{"sh", "-c", "kill -9 $$"}, 137, "", cursor.Exit{Signal: 9}},
		{"not there", []string{"no-such-command"}, 127, "no such file", cursor.Exit{Reason: "spawn"}},
		{"not to be executed", []string{"/"}, 126, "permission denied", cursor.Exit{Reason: "spawn"}},
		{"the output is closed", []string{"sh", "-c", "exec >&- 2>&-; exit 4"}, 4, "", cursor.Exit{Code: 4}},
		{"a pipe of its own", []string{"sh", "-c", "sh -c 'exit 3' | cat"}, 0, "", cursor.Exit{}},
	} {
		t.Run(row.claim, func(t *testing.T) {
			w := wrap(t, newPlan(t, row.argv...))
			if code := w.wait(); code != row.code {
				t.Errorf("the wrapper exits %d, want %d; it said %s", code, row.code, &w.stderr)
			}
			e := w.exit()
			if got := e.Cursor(); got.Code != row.row.Code || got.Signal != row.row.Signal || got.Reason != row.row.Reason {
				t.Errorf("worker.exit = %+v", e)
			}
			if !strings.Contains(e.Spawn, row.record) || e.Epoch != 1 || e.AskedBy != "worker" {
				t.Errorf("worker.exit = %+v", e)
			}
			r := w.reading()
			if x := r.Exit; !x.Known || x.Code != row.row.Code || x.Signal != row.row.Signal || x.Reason != row.row.Reason || !r.Process {
				t.Errorf("the row says %+v", x)
			}
		})
	}
}

// worker.pid names the process that runs, which leads its own group, and is
// durable before the command does anything.
func TestThePidIsTheCommands(t *testing.T) {
	w := wrap(t, newPlan(t, "sh", "-c", `test -s "$PROGMON_DIR/worker.pid" && echo $$ $PROGMON_RUN $PROGMON_EPOCH $PROGMON_POSITION $PROGMON_RESUME.; read x; echo $?`))
	if code := w.wait(); code != 0 {
		t.Fatalf("exit %d: %s", code, &w.stderr)
	}
	p := w.pid(1)
	text, err := os.ReadFile(w.dir().File("worker.log"))
	if want := fmt.Sprintf("%d r1 1 0 .\n1\n", p.PID); err != nil || string(text) != want {
		t.Errorf("worker.log = %q, %v, want %q", text, err, want)
	}
	if p.Wrapper == nil || p.Wrapper.PID != w.cmd.Process.Pid || p.Bare() {
		t.Errorf("worker.pid = %+v", p)
	}
	if presence.Look(p.Identity) != cursor.Gone {
		t.Error("the child was not reaped")
	}
}

// What an outer wrapper told its child is not told to ours: each name is there
// once, or not at all.
func TestAnOuterWrapperIsNotHeard(t *testing.T) {
	outer := []told{{"PROGMON_RUN", "outer"}, {"PROGMON_DB", "outer"}, {"PROGMON_DIR", "outer"},
		{"PROGMON_EPOCH", "7"}, {"PROGMON_POSITION", "7"}, {"PROGMON_RESUME", "1"}}
	c := Command{Env: []string{"PROGMON_RUNNER=mine"}}
	for _, o := range outer {
		c.Env = append(c.Env, o.name+"="+o.value)
	}
	k := worker{w: &Wrapper{Command: c, Declared: store.Declared{Run: "r1"}, DB: "t.db", Dir: new(rundir.Dir)}}
	k.epoch = 1
	want := []string{"PROGMON_RUNNER=mine", "PROGMON_RUN=r1", "PROGMON_DB=t.db", "PROGMON_EPOCH=1", "PROGMON_POSITION=0"}
	if got := c.environment(k.tells()); !slices.Equal(got, want) {
		t.Errorf("environment = %q, want %q", got, want)
	}
}

// The wrapper returns when the child is reaped, whoever still holds its files,
// and says who was left.
func TestItReturnsOnReap(t *testing.T) {
	began := time.Now()
	w := wrap(t, newPlan(t, "sh", "-c", "sleep 60 & exit 5"))
	code := w.wait()
	if took := time.Since(began); code != 5 || took > 2*time.Second {
		t.Errorf("exit %d after %v", code, took)
	}
	e := w.exit()
	if len(e.Left) != 1 || e.Left[0].Command != "sleep" {
		t.Fatalf("worker.exit = %+v, want one sleep left", e)
	}
	defer syscall.Kill(e.Left[0].PID, syscall.SIGKILL)
	if want := fmt.Sprintf(`left behind: pid %d "sleep"`, e.Left[0].PID); !strings.Contains(w.stderr.String(), want) {
		t.Errorf("it said %q, want %q", &w.stderr, want)
	}
	if !strings.Contains(w.kinds(), "note") {
		t.Errorf("the log says %s", w.kinds())
	}
	if err := syscall.Kill(e.Left[0].PID, 0); err != nil {
		t.Errorf("after a normal end what was left is not touched: %v", err)
	}
}

// A double fork leaves the group and the parent, and is seen all the same.
func TestADoubleForkIsSeen(t *testing.T) {
	w := wrap(t, newPlan(t, "sh", "-c", "(setsid sleep 60 &) ; exit 0"))
	if code := w.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
	e := w.exit()
	if len(e.Left) != 1 || e.Left[0].Command != "sleep" {
		t.Fatalf("worker.exit = %+v, want one sleep left", e)
	}
	_ = syscall.Kill(e.Left[0].PID, syscall.SIGKILL)
}

func TestSignalsAreForwarded(t *testing.T) {
	w := wrap(t, newPlan(t, "sh", "-c", `trap 'echo usr1' USR1; trap 'echo term; exit 7' TERM; echo ready; while :; do sleep 0.01; done`))
	log := func() string { text, _ := os.ReadFile(w.dir().File("worker.log")); return string(text) }
	w.eventually("the command", func() bool { return strings.Contains(log(), "ready") })
	_ = w.cmd.Process.Signal(syscall.SIGUSR1)
	w.eventually("USR1", func() bool { return strings.Contains(log(), "usr1") })
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	if code := w.wait(); code != 7 {
		t.Errorf("exit %d, want the command's 7", code)
	}
	if e := w.exit(); e.Code != 7 || e.AskedBy != "user" {
		t.Errorf("worker.exit = %+v, want code 7, asked by a user", e)
	}
}

func TestAnIdIsUsedOnce(t *testing.T) {
	p := newPlan(t, "true")
	if code := wrap(t, p).wait(); code != 0 {
		t.Fatal(code)
	}
	if err := os.Rename(p.Root, p.Root+"2"); err != nil {
		t.Fatal(err)
	}
	p.Argv = []string{"touch", p.Root + "/ran"}
	w := wrap(t, p)
	if code := w.wait(); code != 125 || !strings.Contains(w.stderr.String(), "used once") {
		t.Errorf("exit %d: %s", code, &w.stderr)
	}
	if _, err := os.Stat(p.Root + "/ran"); err == nil {
		t.Error("a command ran whose run the trail refuses")
	}
}

// The command's output is its own: bytes as they are, and --tee is a copy.
func TestTheOutputIsKeptAsItIs(t *testing.T) {
	p := newPlan(t, "sh", "-c", `printf 'a\000\377\n'; printf b >&2`)
	p.Tee = true
	w := wrap(t, p)
	if code := w.wait(); code != 0 {
		t.Fatal(code)
	}
	text, err := os.ReadFile(w.dir().File("worker.log"))
	if err != nil || string(text) != "a\x00\xff\nb" || w.out.String() != string(text) {
		t.Errorf("worker.log = %q, %v; the copy %q", text, err, &w.out)
	}
}
