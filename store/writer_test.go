package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestOpenMakesWhatIsMissing: the file is its owner's alone.
func TestOpenMakesWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "trail.db")
	s := storetest.OpenAt(t, path)
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), want)
		}
	}
	storetest.Verify(t, s.Reader)
}

// TestManyMakeOneTrail: processes that come at once to a trail that is not
// there all get the same one.
func TestManyMakeOneTrail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	const n = 6
	said := make([]string, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			out, err := another("open", path).Output()
			said[i] = string(out)
			if err != nil {
				t.Errorf("process %d: %v: %s", i, err, out)
			}
		})
	}
	all.Wait()
	for _, id := range said {
		if len(id) != 32 || id != said[0] {
			t.Errorf("the trails are called %q", said)
			break
		}
	}
}

// TestNetworkFileSystems: a write-ahead log is not safe there, and is refused
// before anything is made.
func TestNetworkFileSystems(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"nfs", "smb", "9p", "fuse or virtiofs", "ceph"} {
		_, err := store.Open(context.Background(), filepath.Join(dir, "t.db"), store.WithNetworkFS(kind))
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(fmt.Sprint(err), "network file system ("+kind+")") {
			t.Errorf("Open() on %s = %v, want ErrUnavailable that says so", kind, err)
		}
	}
	if got := listing(t, dir); strings.Count(got, "\n") != 1 {
		t.Errorf("Open() made %q", got)
	}
}

// TestHung: a file system that does not answer is given up at the deadline,
// however often it is asked, with one attempt waiting; and sight returns.
func TestHung(t *testing.T) {
	path := trail(t)
	answer := make(chan struct{})
	opts := []store.Option{store.WithHang(answer), store.WithBusyTimeout(20 * time.Millisecond)}
	for range 3 {
		if _, err := store.OpenReader(context.Background(), path, opts...); blindness(err) != store.BlindHung {
			t.Errorf("OpenReader() = %v, want hung", err)
		}
	}
	if n := store.Unanswered(); n != 1 {
		t.Errorf("%d attempts are waiting, want 1", n)
	}
	close(answer)
	within(t, 5*time.Second, "it answers", func() bool { return store.Unanswered() == 0 })
	r, err := store.OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestOneRefusalHarmsNobody: calls that share a transaction are accepted or
// refused each on its own.
func TestOneRefusalHarmsNobody(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 500, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range int64(200) {
		all.Go(func() {
			var err error
			switch pos := store.Pos(i + 1); i % 4 {
			case 0: // refused: beyond the total
				if _, err = r.Complete(ctx, store.Pos(501+i)); errors.Is(err, store.ErrRefused) {
					err = nil
				} else {
					err = fmt.Errorf("a step beyond the total: %v, want ErrRefused", err)
				}
			case 1: // several statements, and the last one refused
				if _, err = r.Skip(ctx, pos, store.Pos(501)); errors.Is(err, store.ErrRefused) {
					err = nil
				} else {
					err = fmt.Errorf("skipping a step beyond the total: %v, want ErrRefused", err)
				}
			default:
				_, err = r.Complete(ctx, pos)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	ack, err := r.Note(ctx, "done")
	if err != nil || ack.Position != 100 {
		t.Errorf("position %d, %v, want 100", ack.Position, err)
	}
}

// TestEveryAckIsItsOwn: what shares a transaction does not share an answer.
func TestEveryAckIsItsOwn(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 300, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	events, positions := sync.Map{}, sync.Map{}
	var all sync.WaitGroup
	for i := range int64(300) {
		all.Go(func() {
			ack, err := r.Complete(ctx, store.Pos(i+1))
			if err != nil {
				t.Error(err)
			}
			if _, twice := events.LoadOrStore(ack.Event, true); twice {
				t.Errorf("event %d was given twice", ack.Event)
			}
			if _, twice := positions.LoadOrStore(ack.Position, true); twice {
				t.Errorf("position %d was given twice", ack.Position)
			}
		})
	}
	all.Wait()
}

// TestACallerThatGivesUp gets the error of its context, and nobody else does.
func TestACallerThatGivesUp(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 50, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Complete(gone, store.Pos(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Complete() = %v, want context.Canceled", err)
	}
	// While a stranger holds the write lock, one gives up and the others wait.
	db := hostile(t, s.Path())
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	var all sync.WaitGroup
	for i := range int64(20) {
		all.Go(func() {
			mine, want := ctx, error(nil)
			if i%3 == 0 {
				mine, want = short, context.DeadlineExceeded
			}
			if _, err := r.Complete(mine, store.Pos(i+1)); !errors.Is(err, want) {
				t.Errorf("Complete(%d) = %v, want %v", i+1, err, want)
			}
		})
	}
	<-short.Done()
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	all.Wait()
}

// TestBusyHasAnEnd: a stranger that never lets go is an error, at the timeout.
func TestBusyHasAnEnd(t *testing.T) {
	path := trail(t)
	s := storetest.OpenAt(t, path, store.WithBusyTimeout(50*time.Millisecond))
	db := hostile(t, path)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(1)); !errors.Is(err, store.ErrBusy) {
		t.Errorf("Complete() = %v, want ErrBusy", err)
	}
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(1)); err != nil {
		t.Errorf("Complete() = %v when the stranger is gone", err)
	}
}

// TestAStoppedProcessEndsNoWriting: whoever holds the place in line and stands
// still is waited for once, and then passed by.
func TestAStoppedProcessEndsNoWriting(t *testing.T) {
	path := trail(t)
	s := storetest.OpenAt(t, path)
	s.HoldBusy(300 * time.Millisecond)
	end := beside(t, "flock", path)
	for i, limit := range []time.Duration{5 * time.Second, 250 * time.Millisecond, 250 * time.Millisecond} {
		began := time.Now()
		if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(int64(i+1))); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > limit {
			t.Errorf("step %d took %v, want at most %v", i+1, took, limit)
		}
	}
	end()
	if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(4)); err != nil {
		t.Error(err)
	}
	storetest.Verify(t, s.Reader)
}

// TestCloseWaits: what is in progress lands, and what comes later is told.
func TestCloseWaits(t *testing.T) {
	path := trail(t)
	s, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range int64(5) {
		all.Go(func() {
			if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(i+1)); err != nil && !errors.Is(err, store.ErrClosed) {
				t.Error(err)
			}
		})
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if _, err := s.Run("r", 1).Complete(context.Background(), store.Pos(1)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Complete() = %v after Close, want ErrClosed", err)
	}
	if err := s.Check(context.Background()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Check() = %v after Close, want ErrClosed", err)
	}
}

// TestFiftyWorkersTwoMonitors is field case 13: nobody is told busy, and every
// row is there.
func TestFiftyWorkersTwoMonitors(t *testing.T) {
	ctx := context.Background()
	const workers, rows, stores = 50, 200, 5
	path := filepath.Join(t.TempDir(), "trail.db")
	first := storetest.OpenAt(t, path)
	stop, cancel := context.WithCancel(ctx)
	var monitors, all sync.WaitGroup
	for m := range 2 {
		s := storetest.OpenAt(t, path, store.WithSource("user"))
		monitors.Go(func() {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for n := int64(0); ; n++ {
				if err := look(ctx, s, fmt.Sprint("m", m), n); err != nil {
					t.Errorf("monitor %d: %v", m, err)
				}
				select {
				case <-stop.Done():
					return
				case <-tick.C:
				}
			}
		})
	}
	var writers []*store.Store
	for range stores {
		writers = append(writers, storetest.OpenAt(t, path))
	}
	for w := range workers {
		all.Go(func() {
			r, err := writers[w%stores].Start(ctx, store.Declared{Run: fmt.Sprint("w", w), Total: cursor.Total{N: rows, Known: true}})
			for pos := int64(1); err == nil && pos <= rows; pos++ {
				_, err = r.Complete(ctx, store.Pos(pos))
			}
			if err != nil {
				t.Errorf("worker %d: %v", w, err)
			}
		})
	}
	all.Wait()
	cancel()
	monitors.Wait()
	v, err := first.Verify(ctx)
	if err != nil || !v.Clean() || v.Steps != workers*rows {
		t.Errorf("Verify() = %+v, %v, want %d steps and nothing found", v, err, workers*rows)
	}
	var done int
	if err := hostile(t, path).QueryRow(`SELECT count(*) FROM event WHERE kind = 'step.done'`).Scan(&done); err != nil || done != workers*rows {
		t.Errorf("%d steps are done, %v, want %d", done, err, workers*rows)
	}
}

// look is what a monitor does, as far as it reads and writes the trail.
func look(ctx context.Context, s *store.Store, id string, n int64) error {
	if err := s.Check(ctx); err != nil {
		return err
	}
	live, err := s.Live(ctx)
	if err != nil {
		return err
	}
	if len(live) > 0 {
		if _, err := s.Run(live[0], 1).Note(ctx, fmt.Sprint(id, " ", n)); err != nil {
			return err
		}
	}
	return s.Seal(ctx)
}
