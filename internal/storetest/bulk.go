package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/progmon/progmon/store"
)

// Bulk is a large trail. Its rows are what the triggers would have made of the
// same life of its runs: db verify finds nothing.
type Bulk struct {
	Events int64 // rows of the log, all runs together, or one more a run
	Runs   int64
	Live   int64 // how many of the runs, the first ones, have not ended
}

// Trail lays the trail down at path, without the triggers, which are put back
// afterwards: 10^7 rows take about a minute. Each run opens, then begins and
// finishes step after step, all runs in turn, a millisecond a row up to now.
// The runs are called run-00000 and so on. A run that has not ended has ten
// steps more than it did.
func (b Bulk) Trail(tb testing.TB, path string) {
	tb.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if err := b.fill(ctx, db); err != nil {
		tb.Fatalf("lay down %+v: %v", b, err)
	}
	if err := db.Close(); err != nil {
		tb.Fatal(err)
	}
}

func (b Bulk) fill(ctx context.Context, db *sql.DB) error {
	exec := func(statement string, args ...any) error {
		if _, err := db.ExecContext(ctx, statement, args...); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
		return nil
	}
	again, err := takeAway(ctx, db)
	if err != nil {
		return err
	}
	before := []string{
		"PRAGMA journal_mode = DELETE", "PRAGMA synchronous = OFF", "PRAGMA temp_store = MEMORY",
		"PRAGMA cache_size = -400000", "BEGIN",
	}
	after := append(again, "COMMIT", "PRAGMA journal_mode = WAL")
	for _, statement := range before {
		if err := exec(statement); err != nil {
			return err
		}
	}
	perRun := b.Events/b.Runs | 1 // a start, then a begin and a done in turn
	args := []any{sql.Named("runs", b.Runs), sql.Named("live", b.Live), sql.Named("events", perRun*b.Runs),
		sql.Named("done", (perRun-1)/2), sql.Named("now", time.Now().UnixMilli())}
	for _, statement := range []string{bulkRuns, bulkSteps, bulkEvents, bulkCursors} {
		if err := exec(statement, args...); err != nil {
			return err
		}
	}
	for _, statement := range after {
		if err := exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// takeAway drops the triggers and the plain indexes of the log, and gives the
// statements that make them again.
func takeAway(ctx context.Context, db *sql.DB) ([]string, error) {
	rows, err := db.QueryContext(ctx, `SELECT type, name, sql FROM sqlite_schema
		WHERE type = 'trigger' OR type = 'index' AND tbl_name = 'event' AND sql IS NOT NULL ORDER BY type`)
	if err != nil {
		return nil, err
	}
	var drop, again []string
	for rows.Next() {
		var kind, name, text string
		if err := rows.Scan(&kind, &name, &text); err != nil {
			return nil, err
		}
		drop, again = append(drop, "DROP "+kind+" "+name), append(again, text)
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	for _, statement := range drop {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return again, nil
}

// The statements of the bulk: :events rows in all, :done steps done of each run.
const (
	// bulkNow is the instant of the last row: one for all statements.
	bulkNow = `:now`

	bulkRuns = `
WITH RECURSIVE k (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i + 1 < :runs)
INSERT INTO run (id, total, started_ms)
SELECT printf('run-%05d', i), :done + 10 * (i < :live), ` + bulkNow + ` - :events + i + 1 FROM k`

	bulkSteps = `
WITH RECURSIVE k (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i + 1 < :runs),
    s (p) AS (SELECT 1 UNION ALL SELECT p + 1 FROM s WHERE p + 1 <= :done + 10)
INSERT INTO step (run_id, pos, state, attempts, first_begun_ms, begun_ms, finished_ms, last_event)
SELECT printf('run-%05d', i), p, CASE WHEN p <= :done THEN 'done' ELSE 'pending' END, p <= :done,
    CASE WHEN p <= :done THEN ` + bulkNow + ` - :events + (2 * p - 1) * :runs + i + 1 END,
    CASE WHEN p <= :done THEN ` + bulkNow + ` - :events + (2 * p - 1) * :runs + i + 1 END,
    CASE WHEN p <= :done THEN ` + bulkNow + ` - :events + 2 * p * :runs + i + 1 END,
    CASE WHEN p <= :done THEN 2 * p * :runs + i + 1 ELSE 0 END
FROM k CROSS JOIN s
WHERE p <= :done OR i < :live`

	bulkEvents = `
WITH RECURSIVE k (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n + 1 < :events)
INSERT INTO event (id, at_ms, run_id, epoch, kind, step, attempt, advance, position, total, open, data)
SELECT n + 1, ` + bulkNow + ` - :events + n + 1, printf('run-%05d', n % :runs), 1,
    CASE WHEN n < :runs THEN 'run.started' WHEN (n / :runs) % 2 = 1 THEN 'step.begun' ELSE 'step.done' END,
    CASE WHEN n >= :runs THEN (n / :runs + 1) / 2 END,
    CASE WHEN n >= :runs THEN 1 END,
    n >= :runs AND (n / :runs) % 2 = 0,
    (n / :runs) / 2,
    :done + 10 * (n % :runs < :live),
    CASE WHEN n < :runs THEN 0 END,
    CASE WHEN n < :runs THEN (SELECT json_object('family', family, 'process', process, 'policy', NULL) FROM run WHERE id = printf('run-%05d', n)) END
FROM k`

	bulkCursors = `
INSERT INTO cursor (run_id, epoch, epoch_event, epoch_ms, start_event, start_ms, total, position, terminal, frontier,
    todo, advance_event, advance_ms, advance_epoch, rows_since, full_event, full_ms, live, last_event, last_ms)
SELECT r.id, 1, f.id, f.at_ms, f.id, f.at_ms, r.total, :done, :done, :done, :done + 1,
    a.id, a.at_ms, 1, 0, CASE WHEN r.total = :done THEN a.id END, CASE WHEN r.total = :done THEN a.at_ms END,
    r.total > :done, l.id, l.at_ms
FROM run AS r
JOIN event AS f ON f.id = 1 + CAST(substr(r.id, 5) AS INTEGER)
LEFT JOIN event AS a ON a.id = 2 * :done * :runs + 1 + CAST(substr(r.id, 5) AS INTEGER) AND :done > 0
JOIN event AS l ON l.id = :events - :runs + 1 + CAST(substr(r.id, 5) AS INTEGER)`
)
