package watch_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// bubble runs a test in a world of its own, with one trail and a run in it that
// has done its first step.
func bubble(t *testing.T, fn func(w *world, s *store.Store, r *store.Run)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.open()
		r := w.start(s, "nightly", 5)
		w.done(r, 1)
		fn(w, s, r)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAnEpisodeIsSaidOnce(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(50 * time.Second)
		w.done(r, 2)
		pass(5 * time.Second)
		for pos := int64(3); pos <= 5; pos++ {
			w.done(r, pos)
		}
		pass(5*time.Second + half)
		stop()
		w.want("nightly",
			"0s nightly advancing",
			"10s nightly degraded: quiet", "10s nightly signal pinged",
			"30s nightly stalled: quiet", "30s nightly signal stalled",
			"51s nightly advancing", "51s nightly signal recovered",
			"56s nightly done", "56s nightly signal done")
	})
}

// Field case 57: bad at first sight is told, and a second episode is another.
func TestASecondEpisodeIsAnother(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		pass(5 * time.Minute) // quiet for ten windows before anyone looks
		stop := w.watching(w.monitor("m1"))
		pass(40 * time.Second)
		w.done(r, 2)
		pass(40 * time.Second)
		w.done(r, 3)
		pass(2 * time.Second)
		stop()
		if n := len(w.says("signal stalled")); n != 2 {
			t.Errorf("stalled was told %d times in two episodes: %q", n, w.says("signal"))
		}
		if n := len(w.says("signal recovered")); n != 2 {
			t.Errorf("recovered was told %d times, want 2", n)
		}
		first := w.says("signal stalled")[0]
		if first != "5m0s nightly signal stalled" && first != "5m30s nightly signal stalled" {
			t.Errorf("the first stalled was told at %q, want at once or a fresh window later", first)
		}
	})
}

// Field case 33: quiet for 200 looks with ten restarts.
func TestARestartTellsNothingTwice(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		for i := range 10 {
			stop := w.watching(w.monitor(fmt.Sprintf("m%d", i)))
			pass(20 * time.Second)
			stop()
		}
		w.want("signal", "10s nightly signal pinged", "30s nightly signal stalled", "2m0s nightly signal escalated")
	})
}

// What changed while no monitor was looking is told once when one is back.
func TestWhatChangedMeanwhileIsToldOnce(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(35 * time.Second)
		stop()
		other := w.start(s, "other", 1)
		w.done(r, 2)
		w.done(other, 1)
		pass(time.Minute)
		for _, id := range []string{"m2", "m3"} {
			stop = w.watching(w.monitor(id))
			pass(3 * time.Second)
			stop()
		}
		if n := len(w.says("signal recovered")); n != 1 {
			t.Errorf("recovered was told %d times, want once", n)
		}
		w.want("other", "1m35s other done", "1m35s other signal done")
	})
}

// A monitor from cron, a process for each look, counts on.
func TestOneLookAtATimeCountsOn(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		for range 7 {
			m := w.monitor("cron")
			if err := m.Once(w.t.Context()); err != nil {
				w.t.Fatal(err)
			}
			pass(10 * time.Second)
		}
		w.want("signal", "10s nightly signal pinged", "30s nightly signal stalled")
	})
}

// A look ten minutes late accuses nobody, and the real silence after it is
// found within one window.
func TestALateLookIsAFreshWindow(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(5 * time.Second)
		w.done(r, 2)
		pass(time.Second)
		w.mu.Lock()
		w.stop = 10 * time.Minute
		w.mu.Unlock()
		pass(10*time.Minute + 5*time.Second)
		if got := w.says("nightly stalled"); len(got) > 0 {
			t.Errorf("a late look said %q", got)
		}
		pass(30 * time.Second)
		stop()
		if got := w.says("signal stalled"); len(got) != 1 {
			t.Errorf("after a whole window of silence was told %q, want stalled once", got)
		}
		if got := w.says("missed"); len(got) != 1 {
			t.Errorf("missed slots were told %q, want once", got)
		}
	})
}

// The machine sleeps for eight hours.
func TestSuspendIsNotCharged(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(5 * time.Second)
		w.mu.Lock()
		w.stop = 8 * time.Hour
		w.mu.Unlock()
		pass(8*time.Hour - time.Second)
		w.mu.Lock()
		w.asleep += 8*time.Hour - 2*time.Second
		w.mu.Unlock()
		pass(3 * time.Second)
		if got := w.says("nightly stalled"); len(got) > 0 {
			t.Errorf("waking up said %q", got)
		}
		pass(31 * time.Second)
		stop()
		if got := w.says("signal stalled"); len(got) != 1 {
			t.Errorf("after a whole window of silence was told %q, want stalled once", got)
		}
	})
}

// The wall clock jumps to and fro; verdicts come when they would have.
func TestTheWallClockChangesNoVerdict(t *testing.T) {
	for _, step := range []time.Duration{12 * time.Hour, -12 * time.Hour, 40 * 365 * 24 * time.Hour} {
		bubble(t, func(w *world, s *store.Store, r *store.Run) {
			jump := func(d time.Duration) {
				w.mu.Lock()
				w.step = d
				w.mu.Unlock()
			}
			stop := w.watching(w.monitor("m1"))
			pass(3 * time.Second)
			jump(step)
			pass(3 * time.Second)
			w.done(r, 2)
			pass(3 * time.Second)
			jump(0)
			pass(25 * time.Second)
			stop()
			stop = w.watching(w.monitor("m2"))
			pass(5 * time.Second)
			stop()
			// The advance lies somewhere between two looks.
			for _, at := range []string{"16s", "17s"} {
				if len(w.says(at+" nightly degraded: quiet")) == 1 {
					w.want("nightly degraded: quiet", at+" nightly degraded: quiet")
				}
			}
			for _, at := range []string{"36s", "37s"} {
				if len(w.says(at+" nightly signal stalled")) == 1 {
					w.want("signal stalled", at+" nightly signal stalled")
					return
				}
			}
			w.t.Errorf("with a jump of %v was told %q, want stalled once, at 36s or 37s", step, w.says("nightly"))
		})
	}
}

// A retry loop is stuck within stall_after and one interval, and adding rows
// puts nothing off.
func TestALoopIsStuck(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		for range 350 {
			if _, err := r.Begin(w.t.Context(), store.Pos(2), 0); err != nil {
				w.t.Fatal(err)
			}
			if _, err := r.Fail(w.t.Context(), store.Pos(2), "again"); err != nil {
				w.t.Fatal(err)
			}
			pass(100 * time.Millisecond)
		}
		stop()
		w.want("nightly",
			"0s nightly advancing",
			"1s nightly degraded: looping", "1s nightly signal pinged",
			"10s nightly stuck: looping", "10s nightly signal stalled")
	})
}

// A budget protects until its own limit. A row that comes later, and is no
// advance, puts nothing off.
func TestABudgetEndsAtItsLimit(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		if _, err := r.Begin(w.t.Context(), store.Pos(2), 20*time.Second); err != nil {
			w.t.Fatal(err)
		}
		stop := w.watching(w.monitor("m1"))
		pass(45 * time.Second)
		if _, err := r.Fail(w.t.Context(), store.Pos(2), "late"); err != nil {
			w.t.Fatal(err)
		}
		pass(10 * time.Second)
		stop()
		w.want("nightly",
			"0s nightly advancing",
			"30s nightly degraded: quiet", "30s nightly signal pinged",
			"50s nightly stalled: quiet", "50s nightly signal stalled")
	})
}

// A worker in one long step with marks, a declared budget or a hold is never
// signalled; the same worker without them is, once.
func TestAnHonestLongStepIsNotSignalled(t *testing.T) {
	for _, row := range []struct {
		name string
		each func(r *store.Run, second int) error
		want int
	}{
		{"nothing", func(*store.Run, int) error { return nil }, 1},
		{"marks", func(r *store.Run, second int) error {
			if second%5 != 0 {
				return nil
			}
			_, err := r.Mark(context.Background(), store.Pos(2), int64(second), 1000)
			return err
		}, 0},
		{"a budget", func(r *store.Run, second int) error {
			if second != 0 {
				return nil
			}
			_, err := r.Begin(context.Background(), store.Pos(2), 5*time.Minute)
			return err
		}, 0},
		{"a hold", func(r *store.Run, second int) error {
			if second != 0 {
				return nil
			}
			_, err := r.Hold(context.Background(), 5*time.Minute, "rate limit")
			return err
		}, 0},
	} {
		bubble(t, func(w *world, s *store.Store, r *store.Run) {
			if _, err := r.Begin(w.t.Context(), store.Pos(2), 0); err != nil {
				w.t.Fatal(err)
			}
			stop := w.watching(w.monitor("m1"))
			for second := range 100 {
				if err := row.each(r, second); err != nil {
					w.t.Fatal(err)
				}
				pass(time.Second)
			}
			stop()
			if got := w.says("signal stalled"); len(got) != row.want {
				t.Errorf("with %s stalled was told %q, want %d times", row.name, got, row.want)
			}
		})
	}
}

// A run whose total rises as fast as its position recedes, as the landmarks of
// the looks show.
func TestARunWhoseEndRunsAwayIsDegraded(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		for i := range int64(90) {
			w.done(r, 2+i)
			if _, err := r.SetTotal(w.t.Context(), cursor.Total{N: 6 + i, Known: true}); err != nil {
				w.t.Fatal(err)
			}
			pass(time.Second)
		}
		stop()
		got := w.says("nightly degraded: receding")
		if len(got) != 1 || got[0] < "30s" || got[0] > "36s" {
			t.Errorf("said %q, want receding once, a window after it began", w.says("nightly"))
		}
	})
}

// The same, of a trail that no monitor ever looked at: the log itself shows it.
func TestARunWhoseEndRunsAwayIsDegradedUnwatched(t *testing.T) {
	w := &world{t: t, path: filepath.Join(t.TempDir(), "trail.db"), origin: time.Now()}
	s, err := store.Open(t.Context(), w.path)
	if err != nil {
		t.Fatal(err)
	}
	r := w.start(s, "nightly", 5)
	for i := range int64(60) {
		w.done(r, 1+i)
		if _, err := r.SetTotal(t.Context(), cursor.Total{N: 6 + i, Known: true}); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Millisecond)
	}
	clock, err := s.Clock(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	readings, err := s.Readings(t.Context(), clock, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := short()
	p.IdleWindow, p.StallAfter = 200*time.Millisecond, 300*time.Millisecond
	if got := p.Judge(readings[0], clock.Now()); got.Says() != "degraded: receding" {
		t.Errorf("Judge = %s, %s, samples %v", got.Says(), got.Detail, readings[0].Samples)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The log is sealed when enough rows are not, and when it has gone quiet.
func TestTheLogIsSealed(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		sealed := func() (last int64) {
			db, err := sql.Open("sqlite", "file:"+w.path+"?mode=ro")
			if err != nil {
				w.t.Fatal(err)
			}
			defer db.Close()
			if err := db.QueryRow("SELECT coalesce(max(last_event), 0) FROM seal").Scan(&last); err != nil {
				w.t.Fatal(err)
			}
			return last
		}
		stop := w.watching(w.monitor("m1"))
		pass(10 * time.Second)
		if got := sealed(); got != 0 {
			t.Errorf("a few rows were sealed up to %d at once", got)
		}
		pass(95 * time.Second)
		quiet := sealed()
		if newest := w.events(s)[len(w.events(s))-1].ID; quiet < 2 || quiet > newest {
			t.Errorf("a quiet log of %d rows is sealed up to %d", newest, quiet)
		}
		for range 300 {
			if _, err := r.Note(w.t.Context(), "x"); err != nil {
				w.t.Fatal(err)
			}
		}
		pass(3 * time.Second)
		if got := sealed(); got < quiet+300 {
			t.Errorf("300 rows more are sealed up to %d, want %d", got, quiet+300)
		}
		stop()
	})
}
