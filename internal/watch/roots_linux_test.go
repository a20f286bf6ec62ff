package watch_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// house is a trail and a root on this machine, in real time.
type house struct {
	t        *testing.T
	db, root string
	store    *store.Store
	seen     []string // the verdicts, in order
	last     watch.Row
}

func newHouse(t *testing.T) *house {
	dir := t.TempDir()
	h := &house{t: t, db: filepath.Join(dir, "trail.db"), root: filepath.Join(dir, "runs")}
	must(t, os.Mkdir(h.root, 0o700))
	var err error
	h.store, err = store.Open(t.Context(), h.db)
	must(t, err)
	t.Cleanup(func() { must(t, h.store.Close()) })
	return h
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run opens a run of four steps that has a process, with its directory.
func (h *house) run(id string) (*store.Run, *rundir.Dir) {
	h.t.Helper()
	r, err := h.store.Start(h.t.Context(), store.Declared{Run: id, Process: true, Total: cursor.Total{N: 4, Known: true}})
	must(h.t, err)
	d, err := rundir.Create(h.root, id)
	must(h.t, err)
	h.t.Cleanup(func() { must(h.t, d.Close()) })
	return r, d
}

// process is a real one that sleeps until the test ends.
func (h *house) process() (*exec.Cmd, presence.Identity) {
	h.t.Helper()
	cmd := exec.Command("sleep", "600")
	must(h.t, cmd.Start())
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := presence.Of(cmd.Process.Pid)
	must(h.t, err)
	return cmd, id
}

// instant is a policy of fractions of a second.
func instant() policy.Policy {
	p := policy.Default()
	p.CheckpointInterval, p.IdleWindow, p.StallAfter = 50*time.Millisecond, 200*time.Millisecond, 400*time.Millisecond
	p.StartWithin, p.VanishGrace = 200*time.Millisecond, 100*time.Millisecond
	return p
}

func (h *house) monitor(roots *watch.Roots) *watch.Watch {
	return &watch.Watch{
		Open: openReal(h.db), Now: store.Now, Interval: watch.MinInterval, ID: "m", Host: "host", PID: 1,
		Thresholds: func(string, []byte) policy.Policy { return instant() },
		Roots:      roots,
	}
}

// until runs a monitor until it has said a verdict, and three looks longer.
// Each look is told to at.
func (h *house) until(m *watch.Watch, want string, at func(look int64)) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 30*time.Second)
	defer cancel()
	left := -1
	m.Report = func(r watch.Report) error {
		for _, c := range r.Changes {
			if says := c.Verdict.Reading.Run + " " + c.Verdict.Says(); c.IsNew() || r.First {
				h.seen = append(h.seen, says)
				if says == want {
					h.last, left = c.Row, 3
				}
			}
		}
		if left == 0 {
			cancel()
		}
		if left > 0 {
			left--
		}
		if at != nil {
			at(r.Looks)
		}
		return nil
	}
	must(h.t, m.Run(ctx))
	if left < 0 {
		h.t.Fatalf("never said %q, but %q", want, h.seen)
	}
}

func (h *house) signals(kind string) (n int) {
	h.t.Helper()
	events, err := h.store.Events(h.t.Context(), store.EventFilter{Limit: 1000})
	must(h.t, err)
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// Field case 9: nobody is left to write the last word.
func TestAKilledWrapperAndItsChildHaveVanished(t *testing.T) {
	h := newHouse(t)
	r, d := h.run("both")
	_, err := r.Complete(t.Context(), store.Pos(1))
	must(t, err)
	wrapper, wid := h.process()
	child, id := h.process()
	must(t, d.WritePID(rundir.PID{Identity: id, Epoch: 1, Wrapper: &wid}))
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "both failed: vanished", func(look int64) {
		if look == 2 {
			must(t, wrapper.Process.Kill())
			must(t, child.Process.Kill())
			_, _ = wrapper.Process.Wait()
			_, _ = child.Process.Wait()
		}
	})
	// Another monitor sees the same, and one that sees no directories knows no
	// better.
	h.seen = nil
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "both failed: vanished", nil)
	h.until(h.monitor(nil), "both failed: vanished", nil)
	if want := slices.Repeat([]string{"both failed: vanished"}, 2); !slices.Equal(h.seen, want) {
		t.Errorf("later monitors said %q, want %q", h.seen, want)
	}
	if n := h.signals("signal.failed"); n != 1 {
		t.Errorf("%d times signal.failed, want 1", n)
	}
}

// Field case 41, and SIGSTOP of field case 75.
func TestAStoppedProcessAndAWrapperThatIsGone(t *testing.T) {
	h := newHouse(t)
	_, d := h.run("held")
	wrapper, wid := h.process()
	child, id := h.process()
	must(t, d.WritePID(rundir.PID{Identity: id, Epoch: 1, Wrapper: &wid}))
	must(t, wrapper.Process.Kill())
	_, _ = wrapper.Process.Wait()
	must(t, child.Process.Signal(syscall.SIGSTOP))
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "held stalled: stopped", nil)
	if f := h.last.Files; f == nil || len(f.Notes) == 0 || !strings.HasPrefix(f.Notes[0], "its wrapper is gone") {
		t.Errorf("its directory says %+v, want that its wrapper is gone", f)
	}
}

func TestARunWithoutAPIDHasVanishedAfterTheStartGrace(t *testing.T) {
	h := newHouse(t)
	h.run("unborn")
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "unborn failed: vanished", nil)
}

// Field case 29: a log that grows is not progress.
func TestANoisyRunIsStuckAndSaysHowMuchItWrote(t *testing.T) {
	h := newHouse(t)
	r, d := h.run("noisy")
	_, err := r.Complete(t.Context(), store.Pos(1))
	must(t, err)
	_, id := h.process()
	must(t, d.WritePID(rundir.PID{Identity: id, Epoch: 1}))
	log, err := d.OpenLog()
	must(t, err)
	defer log.Close()
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "noisy stuck: looping", func(int64) {
		_, err := log.WriteString("spinning\n")
		must(t, err)
	})
	if r := h.last.Verdict.Reading; r.Bytes < 3*9 || r.Bytes%9 != 0 || r.Growth < 3 {
		t.Errorf("%d bytes at %d looks, want what was written", r.Bytes, r.Growth)
	}
	// Who comes after it goes on counting.
	h.seen = nil
	h.until(h.monitor(&watch.Roots{Named: []string{h.root}}), "noisy stuck: looping", nil)
}

// The record is on disk before its row, and the last step before the record.
func TestAnExitRecordIsEnough(t *testing.T) {
	h := newHouse(t)
	r, d := h.run("short")
	full, e := h.run("full")
	_, err := r.Complete(t.Context(), store.Pos(1))
	must(t, err)
	for pos := int64(1); pos <= 4; pos++ {
		_, err := full.Complete(t.Context(), store.Pos(pos))
		must(t, err)
	}
	for _, dir := range []*rundir.Dir{d, e} {
		must(t, dir.WriteExit(rundir.Exit{Epoch: 1}))
	}
	h.until(h.monitor(&watch.Roots{Default: h.root}), "short failed: short", nil)
	if !slices.Contains(h.seen, "full done") {
		t.Errorf("said %q, want that full is done", h.seen)
	}
}

// A root that does not answer is left alone and hinders nobody.
func TestAHungRootIsBlindAndHindersNobody(t *testing.T) {
	h := newHouse(t)
	hung := filepath.Join(filepath.Dir(h.root), "hung")
	must(t, os.Mkdir(hung, 0o700))
	must(t, os.Mkdir(filepath.Join(h.root, "bare"), 0o700))
	must(t, os.WriteFile(filepath.Join(h.root, "bare", rundir.ExitFile), []byte("3\n"), 0o600))
	release := make(chan struct{})
	asked := make(chan struct{}, 100)
	roots := &watch.Roots{Named: []string{hung, h.root}, Deadline: 50 * time.Millisecond, Read: func(root string) []rundir.Entry {
		if root == hung {
			asked <- struct{}{}
			<-release
		}
		return rundir.List([]string{root})
	}}
	m := h.monitor(roots)
	r, _ := h.run("rows")
	_, err := r.Complete(t.Context(), store.Pos(1))
	must(t, err)
	h.until(m, hung+" blind: hung", nil)
	if !slices.Contains(h.seen, "bare failed: exit 3") || !slices.ContainsFunc(h.seen, func(s string) bool { return strings.HasPrefix(s, "rows ") }) {
		t.Errorf("said %q, want the others too", h.seen)
	}
	if n := len(asked); n != 1 {
		t.Errorf("the hung root was asked %d times, want once", n)
	}
	// When it answers, it is seen again.
	must(t, os.Mkdir(filepath.Join(hung, "back"), 0o700))
	must(t, os.WriteFile(filepath.Join(hung, "back", rundir.ExitFile), []byte("0\n"), 0o600))
	close(release)
	h.until(m, "back done", nil)
}

// TestAFailureThatIsContinuedIsNotTold: the exit record is there before the
// rows, and the wrapper that wrote it lives: what it writes next may be that it
// goes on. Once it is gone the record says all.
func TestAFailureThatIsContinuedIsNotTold(t *testing.T) {
	h := newHouse(t)
	_, d := h.run("again")
	_, e := h.run("over")
	wrapper, wid := h.process()
	child, id := h.process()
	must(t, child.Process.Kill())
	_, _ = child.Process.Wait()
	for _, dir := range []*rundir.Dir{d, e} {
		must(t, dir.WritePID(rundir.PID{Identity: id, Epoch: 1, Wrapper: &wid}))
		must(t, dir.WriteExit(rundir.Exit{Epoch: 1, Code: 3, Ended: time.Now()}))
	}
	h.until(h.monitor(&watch.Roots{Default: h.root}), "over failed: exit 3", func(look int64) {
		switch look {
		case 3:
			if n := h.signals("signal.failed"); n != 0 {
				t.Errorf("told %d failures while the wrapper was at it", n)
			}
			_, err := h.store.Takeover(t.Context(), "again", 1)
			must(t, err)
		case 4:
			must(t, wrapper.Process.Kill())
			_, _ = wrapper.Process.Wait()
		}
	})
	if n := h.signals("signal.failed"); n != 1 {
		t.Errorf("%d times signal.failed, want 1, of the run that nobody continued; said %q", n, h.seen)
	}
}
