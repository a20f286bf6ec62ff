package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/migrations"
	"github.com/progmon/progmon/store"
)

// atSchema is a trail as a progmon left it that knew so many migrations, with a
// run in it that did one of its two steps.
func atSchema(t *testing.T, version int64) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "trail.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA journal_mode = WAL"); err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(ctx, version); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"INSERT INTO run (id, total) VALUES ('old', 2)",
		"INSERT INTO step (run_id, pos) VALUES ('old', 1), ('old', 2)",
		"UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'old' AND pos = 1",
	} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestATrailOfAnOlderSchema: who only looks leaves it and says so, the next
// writer brings it forward, and nothing of it is lost.
func TestATrailOfAnOlderSchema(t *testing.T) {
	ctx := context.Background()
	path := atSchema(t, 1)
	_, err := store.OpenReader(ctx, path)
	if got := blindness(err); got != store.BlindOlder {
		t.Errorf("OpenReader() = %q, want older-schema", got)
	}
	if _, err := store.Open(ctx, path, store.WithExisting()); blindness(err) != store.BlindOlder {
		t.Errorf("Open(WithExisting()) = %v, want older-schema", err)
	}
	s := storetest.OpenAt(t, path)
	ack, err := s.Run("old", 1).Complete(ctx, store.Pos(2))
	if err != nil || ack.Position != 2 {
		t.Errorf("Complete() = %+v, %v, want position 2", ack, err)
	}
	if rows, err := s.Outbox(ctx, store.OutboxFilter{All: true}); err != nil || len(rows) != 0 {
		t.Errorf("Outbox() = %v, %v, want nothing", rows, err)
	}
	storetest.Verify(t, s.Reader)
}
