package watch_test

import (
	"testing"
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// What monitors remember is lost: the log remembers what was told.
func TestALostMemoryTellsNothingTwice(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(35 * time.Second)
		stop()
		spoil(w.t, w.path, "DROP TRIGGER a_landmark_that_is_counted_from_stays", "DROP TRIGGER the_clock_is_never_deleted", "DELETE FROM verdict", "DELETE FROM monitor", "DELETE FROM landmark", "DELETE FROM clock")
		stop = w.watching(w.monitor("m2"))
		pass(3 * time.Second)
		w.done(r, 2)
		pass(3 * time.Second)
		stop()
		w.want("signal", "10s nightly signal pinged", "30s nightly signal stalled", "39s nightly signal recovered")
		w.want("nightly stalled", "30s nightly stalled: quiet", "35s nightly stalled: quiet")
	})
}

// An episode that was told stays open, whatever would have delayed it.
func TestAnOpenEpisodeIsNotTakenBack(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(35 * time.Second)
		if _, err := r.Begin(w.t.Context(), store.Pos(2), 5*time.Minute); err != nil {
			w.t.Fatal(err)
		}
		pass(3 * time.Second)
		clock, err := s.Clock(w.t.Context(), 0)
		if err != nil {
			w.t.Fatal(err)
		}
		readings, err := s.Readings(w.t.Context(), clock, []string{"nightly"})
		if err != nil {
			w.t.Fatal(err)
		}
		if v := short().Judge(readings[0], clock.Now()); !readings[0].Told || !v.State.Still() {
			t.Errorf("after a budget declared too late the run is %s, told %v; want it to stay stalled", v.Says(), readings[0].Told)
		}
		stop()
		w.want("advancing", "0s nightly advancing")
		w.want("signal recovered")
	})
}

// A takeover ends no episode: the log says that it goes on in the next epoch,
// whoever looks, and the new worker may take work all the same.
func TestATakeoverEndsNoEpisode(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		judge := func() policy.Verdict {
			w.t.Helper()
			clock, err := s.Clock(w.t.Context(), 0)
			if err != nil {
				w.t.Fatal(err)
			}
			readings, err := s.Readings(w.t.Context(), clock, []string{"nightly"})
			if err != nil {
				w.t.Fatal(err)
			}
			return short().Judge(readings[0], clock.Now())
		}
		stop := w.watching(w.monitor("m1"))
		pass(35 * time.Second)
		if v := judge(); v.InRotation() {
			w.t.Errorf("the worker that is %s is in rotation", v.Says())
		}
		taken, err := s.Takeover(w.t.Context(), "nightly", 1)
		if err != nil {
			w.t.Fatal(err)
		}
		stop()
		stop = w.watching(w.monitor("m2"))
		pass(3 * time.Second)
		if v := judge(); !v.State.Still() || !v.InRotation() {
			w.t.Errorf("taken over, the run is %s, in rotation %v; want it stalled, and its new worker at work", v.Says(), v.InRotation())
		}
		w.done(taken, 2)
		pass(3 * time.Second)
		stop()
		w.want("signal", "10s nightly signal pinged", "30s nightly signal stalled", "39s nightly signal recovered")
	})
}
