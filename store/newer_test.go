package store_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestASchemaRaisedWhileOpen: whoever has the trail open while a newer progmon
// brings its schema forward neither reads nor writes by the old rules, and goes
// on by itself once the version is the old one again.
func TestASchemaRaisedWhileOpen(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	s := storetest.OpenAt(t, path)
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	run := s.Run("r", 1)
	if _, err := run.Complete(ctx, store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	set := func(pragma string) {
		t.Helper()
		if _, err := hostile(t, path).Exec(pragma); err != nil {
			t.Fatal(err)
		}
	}
	pos := int64(2)
	for _, raise := range []struct{ claim, there, back string }{
		{"the version alone", "PRAGMA user_version = 99", "PRAGMA user_version = 2"},
		{"goose's row alone", "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)",
			"DELETE FROM goose_db_version WHERE version_id = 99"},
		{"other tables", "PRAGMA user_version = 99; ALTER TABLE trail RENAME TO trace", "ALTER TABLE trace RENAME TO trail; PRAGMA user_version = 2"},
	} {
		set(raise.there)
		for range 2 {
			if got := blindness(r.Check(ctx)); got != store.BlindNewer {
				t.Errorf("%s: Check() = %q, want newer-schema", raise.claim, got)
			}
			_, err := run.Complete(ctx, store.Pos(pos))
			if blindness(err) != store.BlindNewer || !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: Complete() = %v, want newer-schema", raise.claim, err)
			}
		}
		for _, open := range []func() (io.Closer, error){
			func() (io.Closer, error) { return store.OpenReader(ctx, path) },
			func() (io.Closer, error) { return store.Open(ctx, path) },
		} {
			if c, err := open(); blindness(err) != store.BlindNewer {
				t.Errorf("%s: opened anew: %v, want newer-schema", raise.claim, err)
				if err == nil {
					c.Close()
				}
			}
		}
		set(raise.back)
		if err := r.Check(ctx); err != nil {
			t.Errorf("%s: Check() = %v with the version back", raise.claim, err)
		}
		if ack, err := run.Complete(ctx, store.Pos(pos)); err != nil || ack.Position != pos {
			t.Errorf("%s: Complete() = %+v, %v with the version back", raise.claim, ack, err)
		}
		pos++
	}
}
