package watch_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/store"
)

// Field case 59: several monitors on one trail, 200 runs stall and recover.
func TestSeveralMonitorsTellEachEpisodeOnce(t *testing.T) {
	for _, monitors := range []int{2, 4} {
		synctest.Test(t, func(t *testing.T) {
			const n = 200
			w := newWorld(t)
			s := w.open()
			var runs []*store.Run
			for i := range n {
				r := w.start(s, fmt.Sprintf("run-%03d", i), 3)
				w.done(r, 1)
				runs = append(runs, r)
			}
			var stops []func()
			for i := range monitors {
				// All look at the same instants.
				stops = append(stops, w.watching(w.monitor(fmt.Sprintf("m%d", i))))
				pass(half)
			}
			pass(40 * time.Second)
			for i, r := range runs {
				w.done(r, 2)
				if i%20 == 0 {
					pass(half)
				}
			}
			pass(3 * time.Second)
			for _, stop := range stops {
				stop()
			}
			count := map[string]int{}
			for _, e := range w.events(s) {
				count[e.Kind]++
			}
			if count["signal.stalled"] != n || count["signal.recovered"] != n || count["pinged"] != n {
				t.Errorf("with %d monitors the log has %d stalled, %d recovered, %d pinged, want %d of each",
					monitors, count["signal.stalled"], count["signal.recovered"], count["pinged"], n)
			}
			if told := len(w.says("signal stalled")); told != n {
				t.Errorf("%d monitors told %d stalled, want %d", monitors, told, n)
			}
			rows, err := s.Monitors(t.Context())
			if err != nil || len(rows) != monitors {
				t.Errorf("Monitors() = %d rows, %v, want %d", len(rows), err, monitors)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Field case 13: 50 workers append while two monitors look; nobody is refused
// and nothing is lost.
func TestWorkersAndMonitorsShareATrail(t *testing.T) {
	workers, steps := 50, int64(200)
	if raceDetector {
		steps = 20
	}
	w := &world{t: t, path: filepath.Join(t.TempDir(), "trail.db"), origin: time.Now()}
	s, err := store.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	var watching, working sync.WaitGroup
	var stops []func()
	for i := range 2 {
		m := w.monitor(fmt.Sprintf("m%d", i))
		m.Now, m.Interval = store.Now, watch.MinInterval
		m.Open = openReal(w.path)
		stops = append(stops, w.background(&watching, m))
	}
	failed := make(chan error, workers)
	for i := range workers {
		working.Go(func() {
			r, err := s.Start(t.Context(), store.Declared{Run: fmt.Sprintf("run-%03d", i), Total: cursor.Total{N: steps, Known: true}})
			for pos := int64(1); pos <= steps && err == nil; pos++ {
				_, err = r.Complete(t.Context(), store.Pos(pos))
			}
			failed <- err
		})
	}
	working.Wait()
	for range workers {
		if err := <-failed; err != nil {
			t.Errorf("a worker was refused: %v", err)
		}
	}
	for _, stop := range stops {
		stop()
	}
	watching.Wait()
	if got := w.says("unrecorded"); len(got) > 0 {
		t.Errorf("looks were not recorded: %q", got)
	}
	if got := w.says("blind"); len(got) > 0 {
		t.Errorf("looks were blind: %q", got)
	}
	clock, err := s.Clock(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	readings, err := s.Readings(t.Context(), clock, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := int64(0)
	for _, r := range readings {
		done += r.Position
	}
	if done != int64(workers)*steps {
		t.Errorf("%d steps are on record, want %d", done, int64(workers)*steps)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
