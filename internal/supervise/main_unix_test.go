//go:build unix

package supervise

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// TestMain lets the test binary be a wrapper, or a worker, in a process of its
// own.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "wrap" {
		os.Exit(wrapHere(os.Args[2]))
	}
	if len(os.Args) > 2 && os.Args[1] == "work" {
		os.Exit(workHere(os.Args[2]))
	}
	os.Exit(m.Run())
}

// plan is a wrapper for a process of its own.
type plan struct {
	Root, Run, DB string
	Total         int64
	Argv          []string
	Policy        policy.Policy `json:"-"`
	Recorded      json.RawMessage
	PingSignal    int
	Tee, Stdin    bool
}

func wrapHere(text string) int {
	var p plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	dir, err := rundir.Create(p.Root, p.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 98
	}
	if p.Policy, err = policyfile.ParseRecord(p.Recorded); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 97
	}
	w := &Wrapper{
		Dir: dir, DB: p.DB, Policy: p.Policy,
		Declared:   store.Declared{Run: p.Run, Total: cursor.Total{N: p.Total, Known: p.Total > 0}, Policy: p.Recorded},
		Command:    Command{Argv: p.Argv, Dir: p.Root, Env: os.Environ()},
		PingSignal: syscall.Signal(p.PingSignal),
		Tell:       func(line string) { fmt.Fprintln(os.Stderr, line) },
	}
	if p.Stdin {
		w.Stdin = os.Stdin
	}
	if p.Tee {
		w.Tee = os.Stdout
	}
	end, err := w.Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return end.Code
}

// quick is a policy for tests: patient as the default one, in milliseconds.
func quick() policy.Policy {
	p := policy.Default()
	p.IdleWindow, p.StallAfter, p.EscalateAfter = 400*time.Millisecond, 800*time.Millisecond, 1600*time.Millisecond
	p.StartWithin, p.ExitGrace, p.CheckpointInterval = 500*time.Millisecond, time.Second, 100*time.Millisecond
	p.RespawnDelay, p.KillGrace, p.VanishGrace = 50*time.Millisecond, 2*time.Second, 200*time.Millisecond
	return p
}

func newPlan(t *testing.T, argv ...string) plan {
	dir := t.TempDir()
	p := policy.Default()
	p.KillGrace = 2 * time.Second
	return plan{Root: filepath.Join(dir, "runs"), Run: "r1", DB: filepath.Join(dir, "t.db"), Argv: argv, Policy: p}
}

// encode is the plan as the other process reads it.
func (p plan) encode(t *testing.T) string {
	t.Helper()
	p.Recorded = p.Policy.AppendRecord(nil)
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wrapped is a wrapper that runs in a process of its own.
type wrapped struct {
	plan
	t      *testing.T
	cmd    *exec.Cmd
	out    bytes.Buffer
	stderr bytes.Buffer
	over   chan struct{}
	err    error
}

func wrap(t *testing.T, p plan) *wrapped {
	t.Helper()
	w := &wrapped{plan: p, t: t, over: make(chan struct{})}
	w.cmd = exec.Command(os.Args[0], "wrap", p.encode(t))
	// The race detector sleeps a second at each exit otherwise.
	w.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	w.cmd.Stdout, w.cmd.Stderr = &w.out, &w.stderr
	w.cmd.WaitDelay = time.Second
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { w.err = w.cmd.Wait(); close(w.over) }()
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		<-w.over
		d, err := rundir.OpenReader(p.Root, p.Run)
		if err != nil {
			return // it never came so far
		}
		if pid, err := d.ReadPID(); err == nil {
			_ = syscall.Kill(-pid.PID, syscall.SIGKILL)
		}
		d.Close()
	})
	return w
}

// wait waits for the end of the wrapper and gives its exit code.
func (w *wrapped) wait() int {
	w.t.Helper()
	select {
	case <-w.over:
	case <-time.After(20 * time.Second):
		w.t.Fatalf("the wrapper does not end; it said: %s", &w.stderr)
	}
	if exit, ok := errors.AsType[*exec.ExitError](w.err); ok {
		return exit.ExitCode()
	}
	if w.err != nil && !errors.Is(w.err, exec.ErrWaitDelay) {
		w.t.Fatal(w.err)
	}
	return w.cmd.ProcessState.ExitCode()
}

func (w *wrapped) dir() *rundir.Dir {
	w.t.Helper()
	var d *rundir.Dir
	w.eventually("a run directory", func() bool {
		var err error
		d, err = rundir.Open(w.Root, w.Run)
		return err == nil
	})
	w.t.Cleanup(func() { d.Close() })
	return d
}

func (w *wrapped) exit() rundir.Exit {
	w.t.Helper()
	e, err := w.dir().ReadExit()
	if err != nil {
		w.t.Fatalf("%v; the wrapper said: %s", err, &w.stderr)
	}
	return e
}

// eventually waits until something is so.
func (w *wrapped) eventually(what string, so func() bool) {
	w.t.Helper()
	eventually(w.t, what, so)
}

func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(30 * time.Second)
	for !so() {
		select {
		case <-again.C:
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// pid waits for worker.pid of an epoch.
func (w *wrapped) pid(epoch int64) rundir.PID {
	w.t.Helper()
	d := w.dir()
	var p rundir.PID
	w.eventually(fmt.Sprintf("worker.pid of epoch %d", epoch), func() bool {
		var err error
		p, err = d.ReadPID()
		return err == nil && p.Epoch == epoch
	})
	return p
}

// kinds are the kinds of the rows of the run, in order, without steps.
func (w *wrapped) kinds() string {
	w.t.Helper()
	var kinds []string
	for _, e := range w.events() {
		if !strings.HasPrefix(e.Kind, "step.") {
			kinds = append(kinds, e.Kind)
		}
	}
	return strings.Join(kinds, " ")
}

func (w *wrapped) events() []store.Event {
	w.t.Helper()
	r, err := store.OpenReader(w.t.Context(), w.DB)
	if err != nil {
		return nil // not made yet
	}
	defer r.Close()
	events, err := r.Events(w.t.Context(), store.EventFilter{Run: w.Run})
	if err != nil {
		w.t.Fatal(err)
	}
	return events
}

func (w *wrapped) reading() cursor.Reading {
	w.t.Helper()
	r, err := store.OpenReader(w.t.Context(), w.DB)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	clock, err := r.Clock(w.t.Context(), 0)
	if err != nil {
		w.t.Fatal(err)
	}
	readings, err := r.Readings(w.t.Context(), clock, []string{w.Run})
	if err != nil {
		w.t.Fatal(err)
	}
	return readings[0]
}

// workHere is a worker: it does the steps of its run from the one after
// PROGMON_POSITION to the total, and appends each to worked in its directory.
// In epoch 1 it wedges at the step it is told to, and writes that one only when
// it is told to end, which is too late.
func workHere(wedge string) int {
	at, err := strconv.ParseInt(wedge, 10, 64)
	if err != nil {
		return 90
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(os.Getenv(name), 10, 64)
		return n
	}
	ctx := context.Background()
	s, err := store.Open(ctx, os.Getenv("PROGMON_DB"))
	if err != nil {
		fmt.Println(err)
		return 91
	}
	defer s.Close()
	run := s.Run(os.Getenv("PROGMON_RUN"), number("PROGMON_EPOCH"))
	worked, err := os.OpenFile("worked", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 92
	}
	for step := number("PROGMON_POSITION") + 1; step <= 20; step++ {
		if step == at && number("PROGMON_EPOCH") == 1 {
			select {} // ends by a signal only
		}
		if _, err := run.Complete(ctx, store.Pos(step)); err != nil {
			fmt.Println(err)
			return 77
		}
		fmt.Fprintf(worked, "%d ", step)
	}
	return 0
}
