package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// yard is a trail and a root in which wrappers are killed.
type yard struct {
	t             *testing.T
	dir, db, root string
	program       string
}

func newYard(t *testing.T, lines ...string) *yard {
	dir := t.TempDir()
	y := &yard{t: t, dir: dir, db: filepath.Join(dir, "t.db"), root: filepath.Join(dir, "runs"), program: "progmon"}
	policy := "[default]\nvanish_grace = \"100ms\"\nkill_grace = \"2s\"\n" + strings.Join(append(lines, ""), "\n")
	if err := os.WriteFile(filepath.Join(dir, "policy.toml"), []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(y.clear)
	return y
}

// clear ends who is left of the commands that were started here.
func (y *yard) clear() {
	for _, e := range rundir.List([]string{y.root}) {
		d, err := rundir.OpenReader(y.root, e.Run)
		if err != nil {
			continue
		}
		if p, err := d.ReadPID(); err == nil {
			for _, id := range []*presence.Identity{p.Wrapper, &p.Identity} {
				if id == nil {
					continue
				}
				if h, err := presence.Open(*id); err == nil {
					_ = h.Signal(syscall.SIGKILL)
					h.Close()
				}
			}
		}
		d.Close()
	}
}

// command is the program in the yard, not started yet.
func (y *yard) command(args ...string) *exec.Cmd {
	cmd := exec.Command(y.program, append([]string{"--db=" + y.db, "--root=" + y.root, "--policy=" + filepath.Join(y.dir, "policy.toml")}, args...)...)
	cmd.Dir = y.dir
	return cmd
}

// start starts the program in a group of its own, and ends it with the test.
func (y *yard) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	y.t.Helper()
	out := &bytes.Buffer{}
	cmd := y.command(args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		y.t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { defer close(over); _ = cmd.Wait() }()
	y.t.Cleanup(func() { _ = cmd.Process.Kill(); <-over })
	return cmd, out
}

// watches starts n monitors that continue.
func (y *yard) watches(n int) []*exec.Cmd {
	var all []*exec.Cmd
	for range n {
		cmd, _ := y.start("watch", "--respawn", "--interval", "100ms")
		all = append(all, cmd)
	}
	return all
}

// pid waits for the command of an epoch to be through the gate.
func (y *yard) pid(run string, epoch int64) (p rundir.PID) {
	y.t.Helper()
	y.until(fmt.Sprintf("epoch %d of %s", epoch, run), func() bool {
		d, err := rundir.OpenReader(y.root, run)
		if err != nil {
			return false
		}
		defer d.Close()
		p, err = d.ReadPID()
		if err != nil || p.Epoch != epoch {
			return false
		}
		up, _ := os.ReadFile(filepath.Join(y.dir, fmt.Sprintf("up.%s.%d", run, epoch)))
		return len(up) > 0
	})
	return p
}

// kill kills the wrapper and everybody in the command's group, as an OOM killer
// or a crash of the session would.
func (y *yard) kill(p rundir.PID) {
	y.t.Helper()
	for _, err := range []error{syscall.Kill(p.Wrapper.PID, syscall.SIGKILL), syscall.Kill(-p.PID, syscall.SIGKILL)} {
		if err != nil {
			y.t.Fatal(err)
		}
	}
	y.until("the two to be gone", func() bool {
		return presence.Look(*p.Wrapper) == cursor.Gone && presence.Look(p.Identity) == cursor.Gone
	})
}

func (y *yard) until(what string, so func() bool) {
	y.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !so() {
		if time.Now().After(deadline) {
			y.t.Fatalf("waited in vain for %s; events %v", what, y.kinds(""))
		}
		pause(10 * time.Millisecond)
	}
}

func (y *yard) events(run string) []store.Event {
	r, err := store.OpenReader(y.t.Context(), y.db)
	if err != nil {
		return nil
	}
	defer r.Close()
	events, err := r.Events(y.t.Context(), store.EventFilter{Run: run})
	if err != nil {
		y.t.Fatal(err)
	}
	return events
}

// kinds are what was said of a run besides its steps.
func (y *yard) kinds(run string) string {
	var kinds []string
	for _, e := range y.events(run) {
		if !strings.HasPrefix(e.Kind, "step.") {
			kinds = append(kinds, strings.TrimPrefix(e.Kind, "signal."))
		}
	}
	return strings.Join(kinds, " ")
}

// looks waits until the monitors have looked a few times more.
func (y *yard) looks() {
	y.t.Helper()
	r, err := store.OpenReader(y.t.Context(), y.db)
	if err != nil {
		y.t.Fatal(err)
	}
	defer r.Close()
	count := func() (n int64) {
		monitors, err := r.Monitors(y.t.Context())
		if err != nil {
			y.t.Fatal(err)
		}
		for _, m := range monitors {
			n += m.Looks
		}
		return n
	}
	y.until("more looks", func(from int64) func() bool { return func() bool { return count() >= from+10 } }(count()))
}

// steps is a worker of 20 steps that wedges before the seventh in epoch 1, and
// waits for leave before the twelfth.
const steps = `echo up >up.$PROGMON_RUN.$PROGMON_EPOCH
step=$((PROGMON_POSITION + 1))
while [ $step -le 20 ]; do
	if [ $PROGMON_EPOCH = 1 ] && [ $step = 7 ]; then exec sleep 600; fi
	if [ $step = 12 ]; then until test -e leave; do sleep 0.02; done; fi
	printf '%s ' $step >>worked
	progmon step done $step || exit
	step=$((step + 1))
done`

// A run whose wrapper and command are killed is continued by the monitors: by
// exactly one, from the step it had come to, in a process that outlives them.
func TestAVanishedWrapperIsContinued(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	y.start("run", "--id=r", "--total=20", "--respawn=2", "--quiet", "--", "sh", "-c", steps)
	first := y.pid("r", 1)
	y.until("six steps", func() bool { return strings.Count(fmt.Sprint(y.events("r")), "step.done") == 6 })
	watches := y.watches(2)
	y.looks()
	y.kill(first)
	second := y.pid("r", 2)
	for _, w := range watches {
		if sid, err := unix.Getsid(second.Wrapper.PID); err != nil || sid != second.Wrapper.PID {
			t.Errorf("the wrapper is of session %d, %v: it would end with whoever started it", sid, err)
		}
		if err := syscall.Kill(-w.Process.Pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(y.dir, "leave"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	y.until("the end", func() bool { return strings.Contains(y.kinds("r"), "run.exited") })
	if got, want := y.kinds("r"), "run.started run.takeover respawned run.exited"; got != want {
		t.Errorf("the log says %q, want %q", got, want)
	}
	worked, err := os.ReadFile(filepath.Join(y.dir, "worked"))
	if want := "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 "; err != nil || string(worked) != want {
		t.Errorf("worked %q, %v, want each step once", worked, err)
	}
	out, _ := program(t, "--db", y.db, "--root", y.root, "status", "--all", "r", "--json")
	if !strings.Contains(out, `"state":"done"`) || !strings.Contains(out, `"epoch":2,"position":20`) {
		t.Errorf("status says %s", out)
	}
}

// Without a new position it is continued as often as the policy allows. Then
// that is said once, with the failure, however many monitors look on.
func TestAVanishedWrapperIsGivenUpOnce(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	y.start("run", "--id=r", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c", "echo up >up.r.$PROGMON_EPOCH; exec sleep 600")
	p := y.pid("r", 1)
	y.watches(2)
	y.looks()
	for epoch := int64(2); epoch <= 3; epoch++ {
		y.kill(p)
		p = y.pid("r", epoch)
	}
	y.kill(p)
	y.until("gave-up", func() bool { return strings.Contains(y.kinds("r"), "gave-up") })
	y.looks()
	if got, want := y.kinds("r"), "run.started run.takeover respawned run.takeover respawned failed gave-up"; got != want {
		t.Errorf("the log says %q, want %q", got, want)
	}
	if out, code := program(t, "--db", y.db, "db", "verify"); code != 0 {
		t.Errorf("db verify = %d, %s", code, out)
	}
}

// Nobody is put beside a worker that lives, nor in the place of one that was
// asked to end, nor where the policy has no respawn.
func TestWhoIsNotContinued(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	const wait = "echo up >up.$PROGMON_RUN.1; exec sleep 600"
	y.start("run", "--id=orphan", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c", wait)
	y.start("run", "--id=asked", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c", wait)
	y.start("run", "--id=plain", "--total=3", "--quiet", "--", "sh", "-c", wait)
	y.start("run", "--id=group", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c",
		"sleep 600 & echo $! >left; echo up >up.group.1; exec sleep 600")
	orphan, asked, plain, group := y.pid("orphan", 1), y.pid("asked", 1), y.pid("plain", 1), y.pid("group", 1)
	if err := syscall.Kill(orphan.Wrapper.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// Stopped, so that it cannot answer; then it is too late.
	if err := syscall.Kill(asked.Wrapper.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	d, err := rundir.Open(y.root, "asked")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.RequestStop(rundir.Stop{Epoch: 1, By: "user", AtMS: 1}); err != nil {
		t.Fatal(err)
	}
	d.Close()
	y.kill(asked)
	y.kill(plain)
	for _, pid := range []int{group.Wrapper.PID, group.PID} { // and not its group
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	y.watches(2)
	for _, run := range []string{"asked", "plain"} {
		y.until("the failure of "+run, func() bool { return y.kinds(run) == "run.started failed" })
	}
	y.looks()
	for _, run := range []string{"orphan", "group"} {
		if got := y.kinds(run); got != "run.started" {
			t.Errorf("of %s, where somebody lives, the log says %q", run, got)
		}
	}
	if got := presence.Look(orphan.Identity); got != cursor.Alive {
		t.Errorf("the worker is %s", got)
	}
	// As soon as nobody of the group is left, that one goes on.
	if err := syscall.Kill(-group.PID, syscall.SIGKILL); err != nil {
		t.Errorf("the rest of the group: %v", err)
	}
	y.until("the takeover of group", func() bool { return y.kinds("group") == "run.started run.takeover respawned" })
}

// However many are started to continue one epoch, one does, and is whom
// worker.pid names.
func TestOneOfManyContinues(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	y.start("run", "--id=r", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c", "echo up >up.r.$PROGMON_EPOCH; exec sleep 600")
	y.kill(y.pid("r", 1))
	const many = 6
	var over [many]<-chan int
	for i := range over {
		code := make(chan int, 1)
		over[i] = code
		cmd := exec.Command("progmon", "run", "--db="+y.db, "--root="+y.root, "--id=r", "--continue=1", "--", "ignored")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		go func() { _ = cmd.Wait(); code <- cmd.ProcessState.ExitCode() }()
	}
	second := y.pid("r", 2)
	lost := map[int]int{}
	y.until("all but one to end", func() bool {
		for i := range over {
			select {
			case code := <-over[i]:
				over[i] = nil
				lost[code]++
			default:
			}
		}
		return lost[exitTryAgain]+lost[exitRefused] == many-1
	})
	if got := y.kinds("r"); got != "run.started run.takeover respawned" {
		t.Errorf("the log says %q", got)
	}
	if p := y.pid("r", 2); presence.Look(*p.Wrapper) != cursor.Alive || !p.Same(second.Identity) {
		t.Errorf("worker.pid names %v, wrapped by %v, who is %s", p.Identity, p.Wrapper, presence.Look(*p.Wrapper))
	}
}

// A wrapper that vanishes after it has taken the run over, and before it began,
// has vanished too: status says so, and a monitor goes on.
func TestAWrapperThatVanishesInThePause(t *testing.T) {
	y := newYard(t, `respawn_delay = "1500ms"`)
	wrapper, _ := y.start("run", "--id=r", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c",
		"echo up >up.r.$PROGMON_EPOCH; test $PROGMON_EPOCH = 1 && exit 1; exec sleep 600")
	y.until("the takeover", func() bool { return strings.Contains(y.kinds("r"), "respawned") })
	status := func() string {
		out, _ := program(t, "--db", y.db, "--root", y.root, "status", "r", "--json")
		return out
	}
	if got := status(); !strings.Contains(got, `"state":"starting"`) {
		t.Errorf("in the pause status says %s", got)
	}
	if err := wrapper.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	y.until("vanished", func() bool { return strings.Contains(status(), `"state":"failed","reason":"vanished"`) })
	y.watches(2)
	y.pid("r", 3)
	if got, want := y.kinds("r"), "run.started run.exited run.takeover respawned run.takeover respawned"; got != want {
		t.Errorf("the log says %q, want %q", got, want)
	}
}
