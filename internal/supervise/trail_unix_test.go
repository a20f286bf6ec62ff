//go:build unix

package supervise

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// newTrail makes the trail of a plan before its wrapper does.
func newTrail(t *testing.T, p plan) {
	t.Helper()
	s, err := store.Open(t.Context(), p.DB)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// lockTrail keeps everybody from writing until the function it gives is called.
func lockTrail(t *testing.T, p plan) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", p.DB)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		conn.Close()
		db.Close()
	}
}

// While the trail is locked the command runs and ends unharmed; the rows follow
// as soon as they can.
func TestALockedTrailHarmsNothing(t *testing.T) {
	p := newPlan(t, "sh", "-c", "echo ran; exit 6")
	newTrail(t, p)
	unlock := lockTrail(t, p)
	w := wrap(t, p)
	d := w.dir()
	w.eventually("the exit record", func() bool { _, err := d.ReadExit(); return err == nil })
	unlock()
	if code := w.wait(); code != 6 {
		t.Errorf("exit %d: %s", code, &w.stderr)
	}
	if x := w.reading().Exit; !x.Known || x.Code != 6 {
		t.Errorf("the row says %+v", x)
	}
	if !strings.Contains(w.stderr.String(), "cannot open the run now") {
		t.Errorf("it said %q", &w.stderr)
	}
}

// A trail that is locked for good has the files speak alone, and the wrapper
// returns.
func TestATrailLockedForGood(t *testing.T) {
	p := newPlan(t, "sh", "-c", "exit 6")
	newTrail(t, p)
	defer lockTrail(t, p)()
	w := wrap(t, p)
	if code := w.wait(); code != 6 || w.exit().Code != 6 {
		t.Errorf("exit %d, %+v", code, w.exit())
	}
	if !strings.Contains(w.stderr.String(), "rows could not be written") {
		t.Errorf("it said %q", &w.stderr)
	}
}

// A trail that goes away meanwhile is not made anew.
func TestATrailThatGoesAway(t *testing.T) {
	p := newPlan(t, "sh", "-c", `until test -e go; do sleep 0.01; done; exit 6`)
	w := wrap(t, p)
	w.pid(1)
	w.eventually("the row", func() bool { return strings.Contains(w.kinds(), "run.started") })
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(p.DB + suffix); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.Root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.wait(); code != 6 || w.exit().Code != 6 {
		t.Errorf("exit %d, %+v", code, w.exit())
	}
	if _, err := os.Stat(p.DB); err == nil {
		r, err := store.OpenReader(t.Context(), p.DB)
		t.Errorf("the trail was made anew: %v, %v", r, err)
	}
}

// The requests: by the directory alone, and while a continuation is waited for.
func TestStop(t *testing.T) {
	w := wrap(t, newPlan(t, "sh", "-c", "sleep 60; echo end"))
	p := w.pid(1)
	stopped, err := Stop(t.Context(), w.dir(), rundir.Stop{By: "user", AtMS: 1}, time.Minute, nil)
	if err != nil || stopped.Already || stopped.Exit.Signal != 15 || stopped.Exit.AskedBy != "user" || len(stopped.Survivors) > 0 {
		t.Errorf("Stop = %+v, %v", stopped, err)
	}
	if code := w.wait(); code != 143 {
		t.Errorf("exit %d", code)
	}
	table, err := processes()
	if left := members(table, p.PID); err != nil || len(left) > 0 {
		t.Errorf("of the group live %v, %v", left, err)
	}
	again, err := Stop(t.Context(), w.dir(), rundir.Stop{By: "user", AtMS: 1}, time.Minute, nil)
	if err != nil || !again.Already {
		t.Errorf("a second Stop = %+v, %v", again, err)
	}

	q := newPlan(t, "sh", "-c", "exit 9")
	q.Total, q.Policy = 3, quick()
	q.Policy.AutoRespawn, q.Policy.RespawnDelay = true, time.Hour
	w = wrap(t, q)
	w.eventually("the pause", func() bool { return strings.Contains(w.kinds(), "signal.respawned") })
	stopped, err = Stop(t.Context(), w.dir(), rundir.Stop{By: "user", AtMS: 1}, time.Minute, nil)
	if err != nil || stopped.Exit.Epoch != 2 || stopped.Exit.AskedBy != "user" {
		t.Errorf("Stop in the pause = %+v, %v", stopped, err)
	}
	w.wait()
	if r := w.reading(); !r.Exit.Known || r.Exit.AskedBy != "user" || r.Epoch != 2 {
		t.Errorf("the run stands at epoch %d, %+v", r.Epoch, r.Exit)
	}
}

// A cancelled run has its worker ended.
func TestCancelEndsTheWorker(t *testing.T) {
	p := newPlan(t, "sleep", "60")
	p.Policy = quick()
	w := wrap(t, p)
	w.eventually("the row", func() bool { return w.pid(1).PID > 0 && strings.Contains(w.kinds(), "run.started") })
	s, err := store.Open(t.Context(), p.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Cancel(t.Context(), p.Run, "me", ""); err != nil {
		t.Fatal(err)
	}
	if code := w.wait(); code != 143 {
		t.Errorf("exit %d: %s", code, &w.stderr)
	}
	if !w.reading().Cancelled || w.exit().AskedBy != "user" {
		t.Errorf("%+v, %+v", w.reading().Cancelled, w.exit())
	}
}

// Somebody else's epoch: the wrapper says so, leaves the command alone, and is
// refused at its end.
func TestATakeoverFromOutside(t *testing.T) {
	p := newPlan(t, "sh", "-c", `until test -e go; do sleep 0.01; done; exit 6`)
	p.Policy = quick()
	p.Policy.AutoRespawn = true
	w := wrap(t, p)
	w.pid(1)
	w.eventually("the row", func() bool { return strings.Contains(w.kinds(), "run.started") })
	s, err := store.Open(t.Context(), p.DB)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Takeover(t.Context(), p.Run, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.wait(); code != 6 || w.exit().Epoch != 1 {
		t.Errorf("exit %d, %+v", code, w.exit())
	}
	if r := w.reading(); r.Epoch != 2 || r.Exit.Known || r.Refused == 0 {
		t.Errorf("the run stands at epoch %d, %+v, %d refused", r.Epoch, r.Exit, r.Refused)
	}
	if !strings.Contains(w.stderr.String(), "fenced") {
		t.Errorf("it said %q", &w.stderr)
	}
}
