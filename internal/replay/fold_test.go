package replay

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // a foreign writer, with nothing of ours
	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// TestReplayingTheLogGivesTheCursor: what the triggers keep in the table cursor
// is what the fold makes of the log alone, whatever a foreign client wrote, and
// the fold refuses no row that the database took.
func TestReplayingTheLogGivesTheCursor(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "trail.db")
	s, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(10000)&_pragma=synchronous(0)&_pragma=temp_store(2)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	db.SetMaxOpenConns(1)
	// Preparing compiles the triggers, which is most of the work.
	prepared := map[string]*sql.Stmt{}
	exec := func(query string, args ...any) {
		if prepared[query] == nil {
			stmt, err := db.Prepare(query)
			if err != nil {
				t.Fatal(err)
			}
			prepared[query] = stmt
		}
		_, _ = prepared[query].Exec(args...) // what a rule refuses is no row
	}
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		run := fmt.Sprintf("r%d", n)
		process := rapid.Bool().Draw(t, "process")
		var total any
		if rapid.IntRange(0, 3).Draw(t, "bound") > 0 {
			total = rapid.IntRange(0, 8).Draw(t, "total")
		}
		exec(`INSERT INTO run (id, total, open, process) VALUES (?, ?, ?, ?)`, run, total, rapid.IntRange(0, 1).Draw(t, "open"), process)
		epoch := int64(1)
		for range rapid.IntRange(1, 40).Draw(t, "writes") {
			step := rapid.IntRange(1, 9).Draw(t, "step")
			mine := epoch
			if rapid.IntRange(0, 9).Draw(t, "late writer") == 0 {
				mine--
			}
			event := func(columns string, args ...any) {
				marks := ""
				for range args {
					marks += ", ?"
				}
				exec(`INSERT INTO event (run_id, epoch, kind`+columns+`) VALUES (?, ?`+marks+`)`,
					append([]any{run, mine}, args...)...)
			}
			switch rapid.IntRange(0, 11).Draw(t, "write") {
			case 0, 1, 2:
				exec(`INSERT INTO step (run_id, pos, state, epoch) VALUES (?, ?, ?, ?)
					ON CONFLICT (run_id, pos) DO UPDATE SET state = excluded.state, epoch = excluded.epoch`,
					run, step, rapid.SampledFrom([]string{"running", "done", "failed", "skipped", "cancelled"}).Draw(t, "state"), mine)
			case 3, 4:
				var expect any
				if ms := rapid.IntRange(0, 3).Draw(t, "expect"); ms > 0 {
					expect = ms
				}
				exec(`INSERT INTO step (run_id, pos, state, epoch, expect_ms) VALUES (?, ?, 'running', ?, ?)
					ON CONFLICT (run_id, pos) DO UPDATE SET state = 'running', epoch = excluded.epoch, expect_ms = excluded.expect_ms`,
					run, step, mine, expect)
			case 5:
				exec(`INSERT INTO step (run_id, pos, state, epoch, mark_amount, mark_of) VALUES (?, ?, 'running', ?, ?, 5)
					ON CONFLICT (run_id, pos) DO UPDATE SET mark_amount = excluded.mark_amount, mark_of = 5, epoch = excluded.epoch`,
					run, step, mine, rapid.IntRange(0, 5).Draw(t, "amount"))
			case 6:
				event(`, step`, "step.done", step)
			case 7:
				event(`, total, open`, "run.total", rapid.IntRange(0, 9).Draw(t, "new total"), rapid.IntRange(0, 1).Draw(t, "new open"))
			case 8:
				var observed any
				if rapid.Bool().Draw(t, "observes a total") {
					observed = rapid.IntRange(0, 9).Draw(t, "observed total")
				}
				event(`, position, total`, "cursor", rapid.IntRange(0, 9).Draw(t, "position"), observed)
			case 9:
				event(`, for_ms`, rapid.SampledFrom([]string{"hold", "hold", "resume"}).Draw(t, "wait"), rapid.IntRange(0, 3).Draw(t, "for"))
			case 10:
				if rapid.IntRange(0, 2).Draw(t, "ends") == 0 {
					event(`, code`, "run.exited", rapid.IntRange(0, 255).Draw(t, "code"))
				} else {
					event(`, reason`, rapid.SampledFrom([]string{"note", "refused"}).Draw(t, "beside"), "x")
				}
			case 11:
				if rapid.IntRange(0, 2).Draw(t, "takes over") == 0 {
					exec(`UPDATE run SET epoch = epoch + 1 WHERE id = ?`, run)
					if err := db.QueryRow(`SELECT epoch FROM run WHERE id = ?`, run).Scan(&epoch); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		events, err := s.Events(ctx, store.EventFilter{Run: run})
		if err != nil {
			t.Fatal(err)
		}
		trail := cursor.NewTrail(run, "default", process)
		for i := range events {
			e := EventOf(&events[i])
			advance, err := trail.Apply(&e)
			if err != nil {
				t.Fatalf("the database took %s (%d) and the fold does not: %v", e.Kind, e.ID, err)
			}
			if e.Step != 0 && advance != events[i].Advance {
				t.Fatalf("%s (%d) is an advance: %v to the fold, %v to the database", e.Kind, e.ID, advance, events[i].Advance)
			}
		}
		if got, want := trail.Standing(), standing(t, db, run); got != want {
			t.Fatalf("the fold says\n%+v\nthe cursor\n%+v", got, want)
		}
	})
}

// standing is the row of the table cursor.
func standing(t *rapid.T, db *sql.DB, run string) (s cursor.Standing) {
	var total, observed, observedTotal sql.NullInt64
	err := db.QueryRow(`SELECT epoch, epoch_event, start_event, total, open, process, position, terminal, frontier,
		coalesce(advance_event, 0), coalesce(advance_epoch, 0), rows_since, failed_since, refused,
		observed, observed_total, coalesce(total_high, 0), coalesce(rise_event, 0), coalesce(full_event, 0),
		coalesce(hold_event, 0), coalesce(hold_for_ms, 0), coalesce(hold_end_event, 0), spent_ms, coalesce(budget_end_event, 0),
		coalesce(exit_event, 0), coalesce(exit_code, 0), coalesce(exit_signal, 0), coalesce(exit_reason, ''), coalesce(asked_by, ''),
		coalesce(cancel_event, 0), live, last_event, last_ms FROM cursor WHERE run_id = ?`, run).Scan(
		&s.Epoch, &s.EpochEvent, &s.StartEvent, &total, &s.Total.Open, &s.Process, &s.Position, &s.Terminal, &s.Frontier,
		&s.AdvanceEvent, &s.AdvanceEpoch, &s.Rows, &s.Failed, &s.Refused,
		&observed, &observedTotal, &s.TotalHigh, &s.RiseEvent, &s.FullEvent,
		&s.HoldEvent, &s.HoldForMS, &s.HoldEndEvent, &s.SpentMS, &s.BudgetEndEvent,
		&s.ExitEvent, &s.ExitCode, &s.ExitSignal, &s.ExitReason, &s.AskedBy,
		&s.CancelEvent, &s.Live, &s.LastEvent, &s.LastMS)
	if err != nil {
		t.Fatal(err)
	}
	s.Total.N, s.Total.Known = total.Int64, total.Valid
	s.HasObserved, s.Observed = observed.Valid, observed.Int64
	s.HasObservedTotal, s.ObservedTotal = observedTotal.Valid, observedTotal.Int64
	return s
}
