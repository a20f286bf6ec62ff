package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// TestTheLastToCloseLeavesAnEmptyLog: the database file alone has every step
// then, and a copy of it is whole.
func TestTheLastToCloseLeavesAnEmptyLog(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "trail.db"), filepath.Join(dir, "copy.db")
	const steps = 5
	for i := range int64(steps) {
		s, err := store.Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Run("nightly", 1)
		if i == 0 {
			if r, err = s.Start(ctx, store.Declared{Run: "nightly", Total: cursor.Total{N: steps, Known: true}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.Complete(ctx, store.Pos(i+1)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
			t.Fatalf("the log has %d bytes after step %d", log.Size(), i+1)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := store.OpenReader(ctx, copied)
	if err != nil {
		t.Fatal(err)
	}
	clock, err := r.Clock(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	readings, err := r.Readings(ctx, clock, []string{"nightly"})
	if err != nil || readings[0].Position != steps {
		t.Errorf("a copy of the file alone stands at %+v, %v, want %d", readings, err, steps)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
