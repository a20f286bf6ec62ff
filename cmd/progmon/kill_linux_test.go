package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
)

// shipped builds the program as it is shipped: the one under test may be slow
// with the race detector.
func shipped(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "progmon")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return binary
}

// toil is a worker of six steps that says so when another one of its run is
// alive beside it.
const toil = `exec 9>lock.$PROGMON_RUN
flock -n 9 || echo "$PROGMON_RUN in epoch $PROGMON_EPOCH" >>two
for step in 1 2 3 4 5 6; do
	[ $step -le $PROGMON_POSITION ] || "$PROGRAM" step done $step 9>&- || exit
done`

// victims are who is killed, in turn.
var victims = [...]string{"wrapper", "worker", "both"}

// TestWhoeverIsKilledAndWhenever kills real wrappers, workers or both, 300
// times at random instants. After each, status tells what the files prove; in
// half of the runs the wrapper or one of two monitors goes on, and no two
// workers of a run ever live at once. PROGMON_TEST_SEED replays the instants.
func TestWhoeverIsKilledAndWhenever(t *testing.T) {
	const kills, lanes = 300, 6
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("PROGMON_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("PROGMON_TEST_SEED=%d", seed)
	y := newYard(t, `respawn_delay = "20ms"`, `auto_respawn = false`)
	y.program = shipped(t)
	t.Setenv("PROGRAM", y.program)
	if out, err := y.command("start", "first").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	y.watches(2)
	stranger := exec.Command("sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()

	type shot struct {
		n       int
		instant time.Duration
	}
	shots := make(chan shot)
	ends := map[string]int{}
	var count sync.Mutex
	var killing sync.WaitGroup
	for range lanes {
		killing.Go(func() {
			for s := range shots {
				k := &killed{yard: y, t: t, run: fmt.Sprintf("r%03d", s.n), who: victims[s.n%3], goesOn: s.n%2 == 1}
				k.shoot(s.instant)
				k.judge()
				state, reason, _, _ := k.says()
				count.Lock()
				ends[strings.TrimSpace(k.who+" killed: "+state+" "+reason)]++
				count.Unlock()
				if !k.goesOn && s.n%4 == 0 {
					k.plant(stranger.Process.Pid)
				}
			}
		})
	}
	dice := rand.New(rand.NewPCG(seed, seed))
	for n := range kills {
		shots <- shot{n, time.Duration(dice.IntN(160)) * time.Millisecond}
	}
	close(shots)
	killing.Wait()
	t.Logf("%v", ends)
	if ends["both killed: done"] == 0 || ends["wrapper killed: failed vanished"] == 0 {
		t.Errorf("nobody was continued, or nobody vanished: %v", ends)
	}
	y.looks()
	if two, err := os.ReadFile(filepath.Join(y.dir, "two")); err == nil {
		t.Errorf("two workers at once: %s", two)
	}
	if id, err := presence.Of(stranger.Process.Pid); err != nil || presence.Look(id) != cursor.Alive {
		t.Errorf("the stranger was hit: %v", err)
	}
	y.noneEmpty()
	if out, err := y.command("db", "verify").CombinedOutput(); err != nil {
		t.Errorf("db verify: %v, %s", err, out)
	}
}

// noneEmpty looks for records without a byte: the log, the heartbeat and the
// reserve are none.
func (y *yard) noneEmpty() {
	y.t.Helper()
	files, err := filepath.Glob(filepath.Join(y.root, "*", "worker.*"))
	if err != nil || len(files) < 300 {
		y.t.Errorf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == rundir.LogFile || name == rundir.HeartbeatFile || name == "worker.reserve" {
			continue
		}
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			y.t.Errorf("%s is empty", file)
		}
	}
}

// killed is one run, and what was done to it.
type killed struct {
	*yard
	t      *testing.T
	run    string
	who    string
	goesOn bool
	code   int // of the wrapper
}

func (k *killed) errorf(format string, args ...any) {
	k.t.Helper()
	k.t.Errorf("%s, %s killed: %s", k.run, k.who, fmt.Sprintf(format, args...))
}

// shoot runs a wrapper and kills whom it is to kill, so long after its start.
func (k *killed) shoot(after time.Duration) {
	args := []string{"run", "--id=" + k.run, "--total=6", "--quiet"}
	if k.goesOn {
		args = append(args, "--respawn=3")
	}
	cmd := k.command(append(args, "--", "sh", "-c", toil)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		k.errorf("%v", err)
		return
	}
	pause(after)
	if k.who != "worker" {
		_ = cmd.Process.Kill()
	}
	if k.who != "wrapper" {
		if d, err := rundir.OpenReader(k.root, k.run); err == nil {
			if p, err := d.ReadPID(); err == nil {
				if h, err := presence.Open(p.Identity); err == nil {
					_ = h.Signal(syscall.SIGKILL) // it may be over by now
					h.Close()
				}
			}
			d.Close()
		}
	}
	_ = cmd.Wait()
	k.code = cmd.ProcessState.ExitCode()
}

// says is what status has of the run.
func (k *killed) says() (state, reason string, epoch, position int64) {
	var out, errOut bytes.Buffer
	cmd := k.command("status", "--json", k.run)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitBlind {
		err = nil
	}
	var answer struct {
		Runs []struct {
			State, Reason   string
			Epoch, Position *int64
		}
	}
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &answer)
	}
	if err != nil || len(answer.Runs) != 1 {
		k.errorf("status: %v, %s%s", err, &out, &errOut)
		return "", "", 0, 0
	}
	r := answer.Runs[0]
	if r.Position != nil {
		position = *r.Position
	}
	if r.Epoch != nil {
		epoch = *r.Epoch
	}
	return r.State, r.Reason, epoch, position
}

// judge compares what status says with what the files prove, as soon as nobody
// of the run is alive.
func (k *killed) judge() {
	d, err := rundir.OpenReader(k.root, k.run)
	if err != nil {
		if state, reason, _, _ := k.says(); state != "blind" || reason != "no-trail" {
			k.errorf("before it had made anything: %s %s", state, reason)
		}
		return
	}
	defer d.Close()
	if k.goesOn {
		k.judgeGoingOn(d)
		return
	}
	pid, pidErr := d.ReadPID()
	if pidErr == nil {
		for deadline := time.Now().Add(30 * time.Second); presence.Look(pid.Identity) != cursor.Gone; pause(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				k.errorf("its worker does not end")
				return
			}
		}
	}
	exit, exitErr := d.ReadExit()
	state, reason, epoch, position := k.says()
	want := fmt.Sprintf("failed exit %d", exit.Code)
	switch {
	case exitErr != nil && !errors.Is(exitErr, rundir.ErrAbsent):
		k.errorf("the record: %v", exitErr)
	case exitErr != nil && pidErr == nil:
		want = "failed vanished"
	case exitErr != nil && epoch == 0:
		want = "failed no-evidence" // and no row
		if reason == "vanished" || state == "starting" {
			want = state + " " + reason
		}
	case exitErr != nil:
		want = "starting " + reason // until start_within is over
	case exit.Signal != 0:
		want = fmt.Sprintf("failed signal %d", exit.Signal)
	case exit.Spawn != "":
		want = "failed spawn"
	case exit.Code == 0 && position == 6:
		want = "done " + reason
	case exit.Code == 0:
		want = "failed short"
	}
	if got := state + " " + reason; got != want {
		k.errorf("status says %q, want %q; record %+v, %v; worker.pid %v; epoch %d, position %d", got, want, exit, exitErr, pidErr, epoch, position)
	}
	if k.who == "worker" && (exitErr != nil || k.code != exit.Code+exit.Signal+128*min(exit.Signal, 1)) {
		k.errorf("the wrapper lives and exits %d; the record is %+v, %v", k.code, exit, exitErr)
	}
}

// judgeGoingOn waits for a run that can go on to be done.
func (k *killed) judgeGoingOn(d *rundir.Reader) {
	_, pidErr := d.ReadPID()
	state, reason, epoch, position := k.says()
	if pidErr != nil || epoch == 0 {
		return // nobody is named who could have vanished, or no row
	}
	var exit rundir.Exit
	var err error
	deadline := time.Now().Add(30 * time.Second)
	for over := false; !over; over = over || time.Now().After(deadline) {
		pause(20 * time.Millisecond)
		state, reason, epoch, position = k.says()
		exit, err = d.ReadExit()
		// Whoever had done all and left no record is not asked again.
		over = state == "done" || state == "failed" && (reason == "vanished" && position == 6 || strings.HasPrefix(reason, "exit"))
	}
	switch {
	case state == "done" && position == 6 && err == nil && exit.Epoch == epoch && exit.Code == 0 && exit.Signal == 0:
	case state == "failed" && reason == "vanished" && position == 6 && k.who != "worker" && errors.Is(err, rundir.ErrAbsent):
	default:
		k.errorf("it ends %s %s in epoch %d at %d; the record is %+v, %v; the log says %s", state, reason, epoch, position, exit, err, k.kinds(k.run))
	}
}

// plant gives the number of the worker to a stranger.
func (k *killed) plant(stranger int) {
	d, err := rundir.Open(k.root, k.run)
	if err != nil {
		return
	}
	defer d.Close()
	p, err := d.ReadPID()
	if err != nil {
		return
	}
	was, _, _, _ := k.says()
	p.PID = stranger
	if err := d.WritePID(p); err != nil {
		k.errorf("%v", err)
	}
	if state, reason, _, _ := k.says(); state != was || state == "advancing" {
		k.errorf("with a stranger under its number it is %s %s, and was %s", state, reason, was)
	}
}
