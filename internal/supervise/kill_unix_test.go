//go:build unix

package supervise

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
)

// kills is how many random instants are tried.
const kills = 60

// Whoever is killed, and whenever: no record is empty, nothing is done without
// an exit record, and no worker runs that nobody has written down.
func TestKillsAtRandomInstants(t *testing.T) {
	const seed = 7
	dice := rand.New(rand.NewPCG(seed, seed))
	for i := range kills {
		p := newPlan(t, os.Args[0], "work", "0")
		p.Total = 20
		newTrail(t, p)
		w := wrap(t, p)
		timer := time.NewTimer(time.Duration(dice.IntN(80)) * time.Millisecond)
		<-timer.C
		who := i % 3 // the wrapper, the worker, both
		if who != 1 {
			_ = w.cmd.Process.Kill()
		}
		dir, err := rundir.OpenReader(p.Root, p.Run)
		var pid rundir.PID
		noPid := err
		if err == nil {
			pid, noPid = dir.ReadPID()
		}
		if who != 0 && noPid == nil {
			if h, err := presence.Open(pid.Identity); err == nil {
				_ = h.Signal(syscall.SIGKILL)
				h.Close()
			}
		}
		code := w.wait()
		if err != nil {
			if dir, err = rundir.OpenReader(p.Root, p.Run); err != nil {
				continue // killed before it had made anything
			}
		}
		judgeKill(t, w, dir, who, code)
		dir.Close()
	}
}

func judgeKill(t *testing.T, w *wrapped, dir *rundir.Reader, who, code int) {
	t.Helper()
	pid, err := dir.ReadPID()
	if err != nil && !errors.Is(err, rundir.ErrAbsent) {
		t.Errorf("worker.pid: %v", err)
	}
	if err == nil {
		eventually(t, "the worker to end", func() bool { return presence.Look(pid.Identity) == cursor.Gone })
	} else if text, err := os.ReadFile(filepath.Join(w.Root, "worked")); err == nil {
		t.Errorf("a worker without worker.pid has done %s", text)
	}
	exit, exitErr := dir.ReadExit()
	if exitErr != nil && !errors.Is(exitErr, rundir.ErrAbsent) {
		t.Errorf("worker.exit: %v", exitErr)
	}
	if who == 1 {
		if exitErr != nil || exit.Cursor().Code+exit.Signal+128*min(exit.Signal, 1) != code {
			t.Errorf("the wrapper lives and exits %d; the record is %+v, %v", code, exit, exitErr)
		}
	}
	if _, err := os.Stat(w.DB); err != nil {
		return
	}
	r := w.reading()
	if r.Blind.Reason != "" {
		return // killed before the row
	}
	if r.Exit.Known && exitErr != nil {
		t.Errorf("the row %+v has no record: %v", r.Exit, exitErr)
	}
	// As a monitor sees it, long after.
	if exitErr == nil {
		r.Exit = exit.Cursor()
	}
	r.Presence, r.GoneSince = cursor.Gone, r.StartedAt
	v := policy.Default().Judge(r, r.StartedAt.Add(time.Hour))
	done := exitErr == nil && exit.Code == 0 && exit.Signal == 0 && exit.Spawn == "" && r.Position == 20
	if (v.State == policy.Done) != done || !v.State.Ended() {
		t.Errorf("the verdict is %s; the record is %+v, %v, the position %d", v.Says(), exit, exitErr, r.Position)
	}
}

// A number that was given to a stranger since is nobody that progmon knows.
func TestARecycledNumberIsLeftAlone(t *testing.T) {
	stranger := exec.Command("sleep", "60")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	w := wrap(t, newPlan(t, "sleep", "60"))
	p := w.pid(1)
	_ = w.cmd.Process.Kill()
	w.wait()
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	planted := p
	planted.PID = stranger.Process.Pid
	planted.Start -= 1000 // the two may have started in one tick, or the next
	d := w.dir()
	if err := d.WritePID(planted); err != nil {
		t.Fatal(err)
	}
	stopped, err := Stop(t.Context(), d, rundir.Stop{By: "user", AtMS: 1}, time.Minute, nil)
	if err != nil || !stopped.Already {
		t.Errorf("Stop = %+v, %v", stopped, err)
	}
	if got := presence.Look(planted.Identity); got != cursor.Gone {
		t.Errorf("the stranger counts as the worker: %s", got)
	}
	if id, err := presence.Of(stranger.Process.Pid); err != nil || presence.Look(id) != cursor.Alive {
		t.Errorf("the stranger was hit: %v", err)
	}
	if !over(&d.Reader) {
		t.Error("a run whose number was recycled is not over")
	}
	// The cleanup must not hit it either.
	if err := d.WritePID(p); err != nil {
		t.Fatal(err)
	}
}

// A wrapper that is killed leaves its worker at work; nobody can stop it, and
// that is said.
func TestTheWorkerOutlivesItsWrapper(t *testing.T) {
	w := wrap(t, newPlan(t, "sh", "-c", "echo up; exec sleep 60"))
	p := w.pid(1)
	// A wrapper that dies before it opens the gate leaves no worker.
	w.eventually("the worker is through the gate", func() bool {
		log, err := os.ReadFile(w.dir().File(rundir.LogFile))
		return err == nil && len(log) > 0
	})
	_ = w.cmd.Process.Kill()
	w.wait()
	if got := presence.Look(p.Identity); got != cursor.Alive {
		t.Fatalf("the worker is %s", got)
	}
	if _, err := Stop(t.Context(), w.dir(), rundir.Stop{By: "user"}, time.Minute, nil); !errors.Is(err, ErrNoWrapper) {
		t.Errorf("Stop = %v, want ErrNoWrapper", err)
	}
	if got := presence.Look(p.Identity); got != cursor.Alive {
		t.Errorf("the worker is %s after that", got)
	}
}
