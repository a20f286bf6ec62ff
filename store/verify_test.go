package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// hostile opens the file as a stranger does who switches off what he can.
func hostile(t testing.TB, path string) *sql.DB {
	t.Helper()
	return foreign(t, path, "&_pragma=recursive_triggers(0)&_pragma=foreign_keys(0)&_pragma=ignore_check_constraints(1)")
}

// ordinary opens the file as a stranger does who sets nothing.
func ordinary(t testing.TB, path string) *sql.DB { return foreign(t, path, "") }

func foreign(t testing.TB, path, how string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"+how)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// work leaves something of everything in a trail.
func work(t testing.TB, s *store.Store) {
	t.Helper()
	ctx := context.Background()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Start(ctx, store.Declared{Run: "a", Family: "nightly", Total: cursor.Total{N: 6, Known: true}, Policy: []byte(`{"idle_window":"5m"}`)})
	must(r, err)
	must(r.Begin(ctx, store.Pos(1), time.Hour))
	must(r.Mark(ctx, store.Pos(1), 3, 10))
	must(r.Mark(ctx, store.Pos(1), 3, 10))
	must(r.Complete(ctx, store.Pos(1)))
	must(r.Complete(ctx, store.Pos(1)))
	must(r.Claim(ctx))
	must(r.Fail(ctx, store.Pos(2), "no luck"))
	must(r.Claim(ctx))
	must(r.Hold(ctx, time.Minute, "rate limit"))
	must(r.Resume(ctx))
	must(r.Note(ctx, "half way"))
	must(r.Skip(ctx, store.Pos(4), store.Pos(5)))
	must(r.Mark(ctx, store.Pos(6), 1, 2))
	r2, err := s.Takeover(ctx, "a", 1)
	must(r2, err)
	must(r2.Claim(ctx))
	must(r2.Complete(ctx, store.Pos(2)))
	must(r2.Complete(ctx, store.Pos(3)))
	if _, err := r.Complete(ctx, store.Pos(6)); err == nil {
		t.Fatal("a replaced worker wrote")
	}
	must(r2.SetTotal(ctx, cursor.Total{N: 7, Known: true}))
	must(r2.CancelStep(ctx, store.Pos(7)))
	must(r2.Complete(ctx, store.Pos(6)))
	must(r2.Finish(ctx, cursor.Exit{}))
	o, err := s.Start(ctx, store.Declared{Run: "b", Total: cursor.Total{Open: true}})
	must(o, err)
	must(o.Complete(ctx, store.Named("first")))
	must(o.Complete(ctx, store.Pos(5)))
	must(o.Observe(ctx, 40, nil))
	must(o.Complete(ctx, store.StepRef{Pos: 2, Name: "second"}))
	must(s.Cancel(ctx, "b", "ann", "enough"))
}

func TestVerifyIsClean(t *testing.T) {
	s := storetest.Open(t)
	work(t, s)
	if err := s.Seal(context.Background()); err != nil {
		t.Fatal(err)
	}
	v, err := s.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if v.Seals != 1 || v.Sealed != v.Events || v.Runs != 2 || v.Steps != 10 {
		t.Errorf("Verify() = %+v, want one seal over all %d events, 2 runs, 10 steps", v, v.Events)
	}
}

// TestVerifyFindsTampering: who takes the guards away can write what he likes,
// and is found with the rows it concerns.
func TestVerifyFindsTampering(t *testing.T) {
	const noGuards = `DROP TRIGGER the_log_is_append_only_no_update; DROP TRIGGER the_log_is_append_only_no_delete;
		DROP TRIGGER an_event_follows_the_rules; DROP TRIGGER an_event_moves_the_cursor; DROP TRIGGER a_cursor_moves_by_its_log;
		DROP TRIGGER a_step_is_updated_by_the_rules; DROP TRIGGER a_step_is_stamped_by_the_database;
		DROP TRIGGER a_step_keeps_its_place; DROP TRIGGER a_step_is_never_deleted; DROP TRIGGER step_flips;
		DROP TRIGGER a_seal_is_never_changed; DROP TRIGGER a_run_changes_only_by_takeover;`
	const noSignalRule = `DROP TRIGGER an_event_follows_the_rules;`
	signal := func(row string) string {
		return `INSERT INTO event (run_id, epoch, kind, since, source) VALUES (` + row + `)`
	}
	for _, c := range []struct {
		claim, tamper string
		want          string // a finding, as far as it is given
	}{
		{"a dropped trigger", `DROP TRIGGER step_flips`, "schema: the trigger step_flips is missing"},
		{"a dropped index", `DROP INDEX a_signal_is_said_once_an_episode`, "schema: the index a_signal_is_said_once_an_episode is missing"},
		{"a trigger that does nothing", `DROP TRIGGER step_flips; CREATE TRIGGER step_flips AFTER UPDATE OF state ON step BEGIN SELECT 1; END`,
			"schema: the trigger step_flips is not the one of the migration"},
		{"a trigger of a stranger", `CREATE TRIGGER mine AFTER INSERT ON event BEGIN SELECT 1; END`, "schema: the trigger mine on table event is not of the migration"},
		{"a row deleted from the middle", noGuards + `DELETE FROM event WHERE id BETWEEN 4 AND 6`, "ids events 4 to 6: these rows of the log are missing"},
		{"the end of the log cut", noGuards + `DELETE FROM event WHERE id > 20`, "ids events 21 to "},
		{"a row under a seal changed", noGuards + `UPDATE event SET reason = 'much luck' WHERE reason = 'no luck'`, "seal events 1 to "},
		{"a seal drawn out beyond the log", noGuards + `UPDATE seal SET last_event = 9223372036854775807`, "seal event 9223372036854775807: a seal covers rows that are not there"},
		{"a seal renumbered", noGuards + `UPDATE seal SET id = 3`, "seals are not numbered from 1"},
		{"a todo beyond the steps", noGuards + `UPDATE cursor SET todo = 9223372036854775807 WHERE run_id = 'a'`, `cursor of run "a": todo lies beyond the steps there are`},
		{"a boot that began in the far future", `INSERT INTO clock (boot_id, first_wall_ms, first_mono_ms, first_event) VALUES ('x', 0, 9223372036854775807, 0)`, "clock: a reading of a monotonic clock is of more than a hundred years"},
		{"a monitor that never looks again", `INSERT INTO monitor (id, host, pid, boot_id, started_ms, interval_ms, late_ms, last_look_ms, last_mono_ms) VALUES ('m', 'h', 1, 'x', 0, 9223372036854775807, 9223372036854775807, 1, 1)`, "monitor: it looks less often than once in a year"},
		{"a seal changed", noGuards + `UPDATE seal SET hash = replace(hash, substr(hash, 1, 1), 'x')`, "seal events 1 to "},
		{"an advance claimed", noGuards + `UPDATE event SET advance = 1 WHERE id = 6`, `advance of run "a" step 1 event 6: it says advance true`},
		{"a cursor moved", noGuards + `UPDATE cursor SET position = position + 1, total = total + 1 WHERE run_id = 'a'`, `cursor of run "a" events 1 to `},
		{"a cursor's stamp moved", noGuards + `UPDATE cursor SET advance_ms = advance_ms + 60000 WHERE run_id = 'a'`, `AdvanceMS is `},
		{"a step done that the log does not know", noGuards + `UPDATE step SET state = 'done', finished_ms = 1 WHERE run_id = 'b' AND pos = 1`, `step of run "b" step 1 event `},
		{"a step row deleted", noGuards + `DELETE FROM step WHERE run_id = 'a' AND pos = 1`, `step of run "a" step 1 events 2 to 6: its row is missing`},
		{"an epoch set by hand", noGuards + `UPDATE run SET epoch = 7 WHERE id = 'a'`, `run of run "a" events 1 to `},
		{"a CHECK that was off", noGuards + `UPDATE event SET code = 999 WHERE code = 0`, "a row of event: an exit code is 0 to 255"},
		{"a bad run id past the CHECK", `INSERT INTO run (id) VALUES ('../x')`, "a row of run: a run id is 1 to 64"},
		{"a signal said twice", `DROP INDEX a_signal_is_said_once_an_episode; DROP TRIGGER an_event_follows_the_rules;
			INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('a', 2, 'signal.stalled', 9, 'monitor'), ('a', 2, 'signal.stalled', 9, 'monitor')`,
			`signal of run "a" events `},
		{"a signal of another episode", noSignalRule + signal("'a', 2, 'signal.stalled', 9, 'monitor'"), `names the event of the last advance`},
		{"a signal of an epoch that is over", noSignalRule + signal("'a', 1, 'signal.wrap-up', 9, 'monitor'"), `a signal names the epoch that holds its run`},
		{"a signal by a person", noSignalRule + signal("'a', 2, 'pinged', 9, 'user'"), `only a monitor and a wrapper signal`},
		{"an answer to nothing", noSignalRule + signal("'a', 1, 'signal.recovered', 2, 'monitor'"), `recovered answers a stalled, by an advance`},
		{"an accusation of a run that is over", noSignalRule + signal("'a', 2, 'signal.stalled', (SELECT advance_event FROM cursor WHERE run_id = 'a'), 'monitor'"), `of a run that is over its end is told`},
		{"an end in mid-life", noSignalRule + `INSERT INTO run (id, total) VALUES ('c', 2);` + signal("'c', 1, 'signal.done', (SELECT max(id) FROM event), 'monitor'"), `a run is done at its full position`},
		{"a position in a row that does not know", noGuards + `UPDATE event SET position = 5 WHERE kind = 'step.done' AND advance = 0`, `it says position 5, and it is 1`},
		{"a total in a row that does not know", noGuards + `UPDATE event SET total = 5 WHERE kind = 'step.done' AND advance = 0`, `it says total 5, and it is 6`},
		{"a position in a note", noGuards + `UPDATE event SET position = 5 WHERE kind = 'note'`, `it says position 5, and it is 1`},
		{"a total where there is none", noGuards + `UPDATE event SET total = 5 WHERE kind = 'step.done' AND run_id = 'b'`, `it says total 5, and it is unknown`},
		{"a family changed", noGuards + `UPDATE run SET family = 'x' WHERE id = 'a'`, `run of run "a" event 1: its family is x, and was declared as nightly`},
		{"a run that gets a process", noGuards + `UPDATE run SET process = 1 WHERE id = 'a'; UPDATE cursor SET process = 1 WHERE run_id = 'a'`, `its process is 1, and was declared as 0`},
		{"a declared total changed", noGuards + `UPDATE run SET total = 60 WHERE id = 'a'`, `its total is 60, and was declared as 6`},
		{"a declared total forgotten", noGuards + `UPDATE run SET total = NULL WHERE id = 'a'`, `its total is unknown, and was declared as 6`},
		{"a total that may grow", noGuards + `UPDATE run SET open = 1 WHERE id = 'a'`, `its open is 1, and was declared as 0`},
		{"thresholds of another run", noGuards + `UPDATE run SET policy = NULL WHERE id = 'a'`, `the thresholds recorded with it are not those that it was declared with`},
		{"thresholds changed", `DROP TRIGGER a_recorded_policy_is_never_changed; UPDATE policy SET body = '{"idle_window":"9m"}'`, `the thresholds recorded with it are not those`},
		{"a declaration changed with the log", noGuards + `UPDATE run SET family = 'x' WHERE id = 'a'; UPDATE event SET data = json_set(data, '$.family', 'x') WHERE id = 1`, "seal events 1 to "},
		{"a process that is neither", noGuards + `UPDATE cursor SET process = 7 WHERE run_id = 'a'`, `Process is 7 and should be 0`},
		{"the end of a budget moved", noGuards + `UPDATE cursor SET budget_end_ms = budget_end_ms + 1 WHERE run_id = 'a'`, `BudgetEndMS is `},
		{"a finished step renamed", noGuards + `UPDATE step SET name = 'last' WHERE name = 'first'`, "seal events 1 to "},
		{"the note of a finished step", noGuards + `UPDATE step SET note = 'by me' WHERE run_id = 'a' AND pos = 3`, "seal events 1 to "},
		{"the epoch of a finished step", noGuards + `UPDATE step SET epoch = 1 WHERE run_id = 'a' AND pos = 3`, `step of run "a" step 3 event `},
		{"an epoch that never was", noGuards + `UPDATE step SET epoch = 9 WHERE run_id = 'a' AND pos = 3`, `it names an epoch that its run has not come to`},
		{"a budget out of nothing", noGuards + `UPDATE step SET expect_event = 2, expect_at_ms = 1 WHERE run_id = 'a' AND pos = 1`, `its budget was declared by no row of its own`},
		{"a budget after the end", noGuards + `UPDATE step SET expect_ms = 9 WHERE run_id = 'a' AND pos = 1`, `it has ended and still has a budget`},
		{"a trail renamed", `DROP TRIGGER a_trail_keeps_its_name; UPDATE trail SET instance = '00000000000000000000000000000000'`, "seal events 1 to "},
		{"a landmark ahead", `DROP TRIGGER a_landmark_is_set_by_a_look; INSERT INTO landmark VALUES (1, 'a', 9223372036854775807)`, `clock of run "a" event 1: a landmark lies ahead`},
		{"a landmark of another run", `DROP TRIGGER a_landmark_is_set_by_a_look; INSERT INTO landmark VALUES (1, 'b', 0)`, `clock of run "b" event 1: a landmark of an event that is not of its run`},
		{"a clock ahead", `DROP TRIGGER the_clock_is_moved_by_looks; UPDATE clock SET look_mono_ms = 1, look_awake_ms = 9223372036854775807`, `clock: a row of the clock was awake for longer`},
		{"a clock that saw what is not there", `DROP TRIGGER the_clock_is_moved_by_looks; UPDATE clock SET look_event = 9223372036854775807`, `clock: a row of the clock has seen events`},
		{"a verdict on an epoch to come", `INSERT INTO verdict (run_id, epoch, state, since, at_ms, awake_ms, seen) VALUES ('a', 9, 'done', 1, 1, 1, 1)`, `verdict of run "a": it is of an epoch`},
		{"a verdict on an episode of no run", `INSERT INTO verdict (run_id, epoch, state, since, at_ms, awake_ms, seen) VALUES ('a', 1, 'done', 99, 1, 1, 1)`, `verdict of run "a" event 99: its episode begins`},
		{"a monitor that saw what is not there", `INSERT INTO monitor (id, host, pid, boot_id, started_ms, interval_ms, late_ms, last_look_ms, last_mono_ms, last_event) VALUES ('m', 'h', 1, 'b', 1, 1, 1, 1, 1, 99)`, `monitor: it has seen events`},
		{"a note of no step", `DROP TRIGGER a_meeting_is_with_a_step_that_is_there; UPDATE meeting SET run_id = 'a', pos = 77`, `step of run "a" step 77: the note of table meeting`},
		{"a delivery of no signal", `DROP TRIGGER a_delivery_is_of_a_signal; INSERT INTO delivery (sink, event_id, run_id, queued_ms) VALUES ('page', 2, 'a', 1)`, `outbox of run "a" event 2: a delivery of an event that is no signal`},
		{"a delivery in no message", `DROP TRIGGER a_delivery_is_of_a_signal; INSERT INTO delivery (id, sink, event_id, run_id, queued_ms, state, into_id) VALUES (9, 'page', 2, 'a', 1, 'merged', 7)`, `outbox of run "a" event 2: a delivery goes out in another message`},
		{"a table gone", `DROP TABLE monitor`, `schema: the table monitor is missing`},
		{"a reference to no run", `PRAGMA foreign_keys = 0; INSERT INTO verdict (run_id, epoch, state, since, at_ms, awake_ms, seen) VALUES ('nobody', 1, 'done', 1, 1, 1, 1)`,
			"key: a row of verdict names a row of run that is not there"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trail.db")
			s := storetest.OpenAt(t, path)
			work(t, s)
			if err := s.Seal(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := hostile(t, path).Exec(c.tamper); err != nil {
				t.Fatal(err)
			}
			v, err := s.Verify(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, f := range v.Findings {
				all = append(all, f.String())
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, c.want) {
				t.Errorf("Verify() found\n%s\nwant %q", got, c.want)
			}
			if v.Found != int64(len(v.Findings)) {
				t.Errorf("Found = %d, and there are %d", v.Found, len(v.Findings))
			}
		})
	}
}

// TestVerifyCountsAll: what is kept is bounded, what is counted is not.
func TestVerifyCountsAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	s := storetest.OpenAt(t, path)
	ctx := context.Background()
	r, err := s.Start(ctx, store.Declared{Run: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		if _, err := r.Note(ctx, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := hostile(t, path).Exec(`DROP TRIGGER the_log_is_append_only_no_update; UPDATE event SET code = 1000 WHERE kind = 'note'`); err != nil {
		t.Fatal(err)
	}
	v, err := s.Verify(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if v.ByRule[store.RuleCheck] != 300 || len(v.Findings) >= 300 {
		t.Errorf("Verify() counts %d broken CHECKs and keeps %d findings, want 300 and fewer", v.ByRule[store.RuleCheck], len(v.Findings))
	}
}

// logOf is the whole log, a row a line.
func logOf(t testing.TB, s *store.Store) string {
	t.Helper()
	rows, err := hostile(t, s.Path()).Query(`SELECT quote(id) || quote(at_ms) || quote(run_id) || quote(epoch) || quote(kind) || quote(step) ||
		quote(advance) || quote(position) || quote(total) || quote(reason) || quote(data) FROM event ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		b.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
