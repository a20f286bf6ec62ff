package storetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/progmon/progmon/store"
)

// Open opens a fresh trail in a directory of the test, for writing. At the end
// of the test it verifies the trail, and closes it: every test of the store
// ends with the audit.
func Open(t testing.TB, opts ...store.Option) *store.Store {
	t.Helper()
	s := OpenAt(t, filepath.Join(t.TempDir(), "trail.db"), opts...)
	t.Cleanup(func() { Verify(t, s.Reader) })
	return s
}

// OpenAt opens the trail at path for writing and closes it at the end of the
// test, without the audit: for tests that break it.
func OpenAt(t testing.TB, path string, opts ...store.Option) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return s
}

// Verify fails the test when the audit finds anything.
func Verify(t testing.TB, r *store.Reader) {
	t.Helper()
	v, err := r.Verify(context.Background())
	if err != nil {
		t.Errorf("Verify() = %v", err)
		return
	}
	for _, f := range v.Findings {
		t.Errorf("the trail is not clean: %s", f)
	}
}
