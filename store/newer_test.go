package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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
	set("PRAGMA user_version = 99")
	for range 2 {
		if got := blindness(r.Check(ctx)); got != store.BlindNewer {
			t.Errorf("Check() = %q, want newer-schema", got)
		}
	}
	_, err = run.Complete(ctx, store.Pos(2))
	if blindness(err) != store.BlindNewer || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Complete() = %v, want newer-schema", err)
	}
	set("PRAGMA user_version = 1")
	if err := r.Check(ctx); err != nil {
		t.Errorf("Check() = %v with the version back", err)
	}
	if ack, err := run.Complete(ctx, store.Pos(2)); err != nil || ack.Position != 2 {
		t.Errorf("Complete() = %+v, %v with the version back", ack, err)
	}
}

// TestHardLinks: of a file with two names each has a write-ahead log of its
// own, and a step written by one name is not there by the other.
func TestHardLinks(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	other := path + ".twin"
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	before := listing(t, filepath.Dir(path))
	for _, name := range []string{path, other} {
		s, err := store.Open(ctx, name)
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Open(%q) = %v, want unavailable", name, err)
		}
		if err == nil {
			s.Close()
		}
	}
	if after := listing(t, filepath.Dir(path)); after != before {
		t.Errorf("a refused Open changed %q to %q", before, after)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, other); err != nil {
		t.Fatal(err)
	}
	// A symbolic link is the same name to SQLite, which asks for the real one.
	s := storetest.OpenAt(t, path)
	twin, err := store.Open(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	defer twin.Close()
	for i, each := range []*store.Store{s, twin} {
		ack, err := each.Run("r", 1).Complete(ctx, store.Pos(int64(i+1)))
		if err != nil || ack.Position != int64(i+1) {
			t.Errorf("Complete(%d) = %+v, %v", i+1, ack, err)
		}
	}
}
