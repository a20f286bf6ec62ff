package watch_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// by has a stranger write to the trail.
func (w *world) by(statement string, args ...any) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+w.path+"?_pragma=busy_timeout(1000)")
	if err == nil {
		_, err = db.Exec(statement, args...)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		w.t.Fatal(err)
	}
}

// The table of verdicts is a memory that anybody may write. What was told is in
// the log.
func TestAForgedMemorySilencesNothing(t *testing.T) {
	const everything = `{"State":"degraded","Reason":"quiet","Stalled":{"Epoch":1,"Since":%[1]d},"Escalated":{"Epoch":1,"Since":%[1]d},
		"Pinged":{"Epoch":1,"Since":%[1]d},"Open":{"Epoch":0,"Since":0},"WrapUp":1,"Timeout":1,"Done":1,"Failed":1,"Cancelled":1}`
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		since := w.events(s)[1].ID
		forge := func(data string) { w.by(`UPDATE verdict SET data = ?`, data) }
		stop := w.watching(w.monitor("m1"))
		pass(5 * time.Second)
		forge(fmt.Sprintf(everything, since))
		pass(130 * time.Second)
		forge(`{"State":"advancing"}`)
		w.done(r, 2)
		pass(5 * time.Second)
		forge(fmt.Sprintf(everything, since))
		for pos := int64(3); pos <= 5; pos++ {
			w.done(r, pos)
		}
		pass(2 * time.Second)
		stop()
		w.want("signal",
			"10s nightly signal pinged", "30s nightly signal stalled", "2m0s nightly signal escalated",
			"2m16s nightly signal recovered", "2m21s nightly signal done")
	})
}

// An end is kept without the process in sight only if the log was told of it.
func TestAForgedVerdictEndsNothing(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, _ *store.Run) {
		if _, err := s.Start(w.t.Context(), store.Declared{Run: "forged", Process: true}); err != nil {
			t.Fatal(err)
		}
		exit := func() bool {
			t.Helper()
			found, err := s.Look(w.t.Context(), store.Ask{Runs: []string{"forged"}})
			if err != nil {
				t.Fatal(err)
			}
			var none *watch.Roots
			if err := none.Inspect(w.t.Context(), watch.Inspection{Thresholds: func(string, []byte) policy.Policy { return short() }}, &found); err != nil {
				t.Fatal(err)
			}
			return found.Runs[0].Reading.Exit.Known
		}
		for _, state := range []string{"done", "failed", "cancelled"} {
			w.by(`REPLACE INTO verdict (run_id, epoch, state, reason, since, at_ms, awake_ms, seen, data)
				SELECT run_id, epoch, ?, 'exit 3', start_event, 1, 1, 1, '{}' FROM cursor WHERE run_id = 'forged'`, state)
			if exit() {
				t.Errorf("a verdict by hand made the run %s", state)
			}
		}
		w.by(`INSERT INTO event (run_id, epoch, kind, since, source) SELECT run_id, epoch, 'signal.cancelled', start_event, 'monitor' FROM cursor WHERE run_id = 'forged'`)
		if !exit() {
			t.Error("an end that the log was told of is not kept")
		}
	})
}

// A monitor's row is no proof that a run was judged: whether its end was told is
// in the log.
func TestAnEndIsToldWhateverAMonitorIsSaidToHaveSeen(t *testing.T) {
	for _, last := range []string{"(SELECT max(id) FROM event)", "9223372036854775807"} {
		bubble(t, func(w *world, s *store.Store, _ *store.Run) {
			other := w.start(s, "other", 1)
			stop := w.watching(w.monitor("m1"))
			pass(2 * time.Second)
			stop()
			w.done(other, 1)
			w.by(`UPDATE monitor SET last_event = ` + last + `, looks = 9223372036854775807, missed = 9223372036854775807`)
			for range 2 {
				stop = w.watching(w.monitor("m1"))
				pass(2 * time.Second)
				stop()
			}
			w.want("other", "0s other starting", "2s other done", "2s other signal done")
			w.want("unrecorded")
		})
	}
}
