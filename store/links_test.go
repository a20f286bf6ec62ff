package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

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
		if blindness(err) != store.BlindNotATrail || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Open(%q) = %v, want not-a-trail, unavailable", name, err)
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
	s := storetest.OpenAt(t, path)
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Link(path, other); err != nil {
		t.Fatal(err)
	}
	if got := blindness(r.Check(ctx)); got != store.BlindNotATrail {
		t.Errorf("Check() = %q of a file that was given a second name, want not-a-trail", got)
	}
	if _, err := s.Run("r", 1).Complete(ctx, store.Pos(1)); blindness(err) != store.BlindNotATrail {
		t.Errorf("Complete() = %v in a file that was given a second name, want not-a-trail", err)
	}
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	if err := r.Check(ctx); err != nil {
		t.Errorf("Check() = %v with one name again", err)
	}
	if _, err := s.Run("r", 1).Complete(ctx, store.Pos(1)); err != nil {
		t.Errorf("Complete() = %v with one name again", err)
	}
}

// TestASymbolicLinkIsTheSameTrail: SQLite asks for the real name, and so do we
// for what lies beside it: the log that must not be lost, the lock that makes
// writers queue.
func TestASymbolicLinkIsTheSameTrail(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "link.db")
	if err := os.Symlink(path, other); err != nil {
		t.Fatal(err)
	}
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
	if names := namesIn(t, dir); !slices.Equal(names, []string{"link.db"}) {
		t.Errorf("beside the link lie %q", names)
	}
	r, err := store.OpenReader(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if got := blindness(r.Check(ctx)); got != store.BlindReplaced {
		t.Errorf("Check() = %q by the link of a trail without its log, want replaced", got)
	}
	if _, err := twin.Run("r", 1).Complete(ctx, store.Pos(3)); blindness(err) != store.BlindReplaced {
		t.Errorf("Complete() = %v by the link of a trail without its log, want replaced", err)
	}
}
