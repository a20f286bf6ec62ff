package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// silent is how the run is judged now, by the default thresholds.
func silent(t *testing.T, s *store.Store, run string) policy.Verdict {
	t.Helper()
	clock := must(s.Clock(context.Background(), 0))(t)
	r := must(s.Readings(context.Background(), clock, []string{run}))(t)[0]
	return policy.Default().Judge(r, clock.Now())
}

const noClockGuards = `DROP TRIGGER the_clock_is_moved_by_looks; DROP TRIGGER a_landmark_is_never_moved; DROP TRIGGER a_landmark_is_set_by_a_look;`

// TestNoRowMovesTheClock: what is written past the guards neither silences a
// verdict for longer than until the next look, nor condemns anybody.
func TestNoRowMovesTheClock(t *testing.T) {
	for _, c := range []struct{ claim, spoil string }{
		{"nothing", ""},
		{"a landmark in the future", `UPDATE landmark SET awake_ms = awake_ms + 86400000`},
		{"a landmark beyond all reason", `UPDATE landmark SET awake_ms = 9223372036854775807`},
		{"an awake clock beyond all reason", `UPDATE clock SET look_awake_ms = 9223372036854775807`},
		{"an awake clock a day ahead", `UPDATE clock SET look_awake_ms = look_awake_ms + 86400000`},
		{"a look before there were clocks", `UPDATE clock SET look_wall_ms = 0`},
		{"a look at the end of time", `UPDATE clock SET look_wall_ms = 9223372036854775807`},
		{"a look ahead of this boot", `UPDATE clock SET look_mono_ms = 9223372036854775807`},
		{"all of it", `UPDATE landmark SET awake_ms = 9223372036854775807; UPDATE clock SET
			look_awake_ms = 9223372036854775807, look_mono_ms = 9223372036854775807, look_wall_ms = 9223372036854775807`},
	} {
		t.Run(c.claim, func(t *testing.T) {
			ctx := context.Background()
			clocks := newClocks()
			s := openLook(t, clocks)
			r := start(t, s, "nightly", 9)
			must(r.Complete(ctx, store.Pos(1)))(t)
			lookOnce(t, s, 0)
			if _, err := hostile(t, s.Path()).Exec(noClockGuards + c.spoil); err != nil {
				t.Fatal(err)
			}
			clocks.pass(10 * time.Minute)
			if v := silent(t, s, "nightly"); v.State.Still() {
				t.Errorf("after 10m: %s, silent for %v", v.Says(), v.Silence)
			}
			lookOnce(t, s, 0)
			clocks.pass(20 * time.Minute)
			if v := silent(t, s, "nightly"); v.State != policy.Stalled || v.Silence > 31*time.Minute {
				t.Errorf("20m after the next look: %s, silent for %v, want stalled", v.Says(), v.Silence)
			}
			// The database stamps by its own clock, which does not move here.
			if _, err := ordinary(t, s.Path()).Exec(`INSERT INTO event (run_id, epoch, kind, position, at_ms) VALUES ('nightly', 1, 'cursor', 2, ?)`,
				clocks.read().Wall.UnixMilli()); err != nil {
				t.Fatal(err)
			}
			lookOnce(t, s, 0)
			clocks.pass(time.Minute)
			if v := silent(t, s, "nightly"); v.State != policy.Advancing || v.Silence > 2*time.Minute {
				t.Errorf("a minute after the next step: %s, silent for %v, want advancing", v.Says(), v.Silence)
			}
		})
	}
}

// TestAStampInTheFutureIsNoEvidence: a row that claims to be of next year says
// nothing of when it was written. Silence counts from what is known besides,
// without condemning, and from the first look on by the clock.
func TestAStampInTheFutureIsNoEvidence(t *testing.T) {
	clocks := newClocks()
	s := openLook(t, clocks)
	start(t, s, "nightly", 9)
	clocks.pass(20 * time.Minute)
	_, err := hostile(t, s.Path()).Exec(`INSERT INTO event (run_id, epoch, kind, position, at_ms) VALUES ('nightly', 1, 'cursor', 4, 4102444800000)`)
	if err != nil {
		t.Fatal(err)
	}
	clocks.pass(20 * time.Minute)
	if v := silent(t, s, "nightly"); v.State != policy.Degraded || v.Silence < 39*time.Minute || v.Silence > 41*time.Minute {
		t.Errorf("40m after the start: %s, silent for %v, want degraded: nobody can say when the row came", v.Says(), v.Silence)
	}
	lookOnce(t, s, 0)
	for _, c := range []struct {
		after time.Duration
		want  policy.State
	}{{time.Minute, policy.Advancing}, {5 * time.Minute, policy.Degraded}, {10 * time.Minute, policy.Stalled}} {
		clocks.pass(c.after)
		if v := silent(t, s, "nightly"); v.State != c.want {
			t.Errorf("%v later: %s, silent for %v, want %s", c.after, v.Says(), v.Silence, c.want)
		}
	}
}

// TestTheClockRefuses: what cannot be is not taken, whoever writes it.
func TestTheClockRefuses(t *testing.T) {
	clocks := newClocks()
	s := openLook(t, clocks)
	r := start(t, s, "nightly", 9)
	must(r.Begin(context.Background(), store.Pos(1), time.Hour))(t)
	lookOnce(t, s, 0)
	must(r.Complete(context.Background(), store.Pos(2)))(t)
	before := store.CountLandmarks(t, s)
	db := ordinary(t, s.Path())
	for _, c := range []struct{ sql, want string }{
		{`UPDATE clock SET look_awake_ms = 9223372036854775807`, "no machine was awake for longer than its boots lasted"},
		{`UPDATE clock SET look_awake_ms = look_mono_ms + 1`, "no machine was awake for longer than its boots lasted"},
		{`UPDATE clock SET look_mono_ms = NULL`, "no machine was awake for longer than its boots lasted"},
		{`UPDATE clock SET look_event = 99`, "a look sees no event that is not there"},
		{`UPDATE clock SET first_event = 0, first_mono_ms = 0, first_wall_ms = 0`, "the first reading of a boot stays"},
		{`UPDATE OR REPLACE clock SET boot_id = 'x'`, "the first reading of a boot stays"},
		{`REPLACE INTO clock SELECT * FROM clock`, "a boot has one row in the clock"},
		{`INSERT INTO clock VALUES ('x', 1, 1, 0, 1, 1, 9223372036854775807, 0)`, "no machine was awake for longer than its boots lasted"},
		{`INSERT INTO clock VALUES ('x', 1, -1, 0, 1, 1, 1, 0)`, "the_clock_counts_from_zero"},
		{`INSERT INTO clock VALUES ('x', 1, 1, 99, 1, 1, 1, 0)`, "a look sees no event that is not there"},
		{`DELETE FROM clock`, "a row of the clock is never deleted"},
		{`UPDATE landmark SET awake_ms = 0`, "a landmark is never moved"},
		{`DELETE FROM landmark`, "a landmark that something is counted from stays"},
		{`REPLACE INTO landmark SELECT event_id, run_id, 0 FROM landmark`, "a landmark is set once"},
		{`INSERT INTO landmark SELECT max(id), 'nightly', 0 FROM event`, "that a look has seen"},
		{`INSERT INTO landmark VALUES (1, 'other', 0)`, ""},
	} {
		if _, err := db.Exec(c.sql); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n = %v\nwant %s", c.sql, err, c.want)
		}
	}
	if after := store.CountLandmarks(t, s); after != before {
		t.Errorf("there are %d landmarks, and were %d", after, before)
	}
	// And what a look writes is taken after all of that.
	clocks.pass(time.Minute)
	lookOnce(t, s, 0)
}

// TestAMonitorAheadOfItsBootIsLate: a reading that the monotonic clock has not
// reached does not keep a dead monitor live.
func TestAMonitorAheadOfItsBootIsLate(t *testing.T) {
	m := store.MonitorRow{ID: "m", Boot: "b", LastMono: 100 * time.Hour, LateAfter: 15 * time.Second}
	if w := store.WatchedAt([]store.MonitorRow{m}, cursor.Instant{Boot: "b", Mono: time.Hour}); w.State != store.MonitorLate {
		t.Errorf("it is %s", w.State)
	}
	m.LastMono = time.Hour + time.Second // of a look that crosses this one
	if w := store.WatchedAt([]store.MonitorRow{m}, cursor.Instant{Boot: "b", Mono: time.Hour}); w.State != store.MonitorLive {
		t.Errorf("it is %s", w.State)
	}
}
