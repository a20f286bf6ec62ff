package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestNoIDsLeftIsNoFullDisk: who sets the last id to the largest number ends the
// log, and SQLite calls that a full disk.
func TestNoIDsLeftIsNoFullDisk(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r"})
	if err != nil {
		t.Fatal(err)
	}
	db := ordinary(t, s.Path())
	if _, err := db.Exec(`UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'event'`); err != nil {
		t.Fatal(err)
	}
	_, err = r.Complete(ctx, store.Pos(1))
	if errors.Is(err, store.ErrNoSpace) || !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "somebody set the last one to 9223372036854775807") {
		t.Errorf("Complete = %v, want what was done to the ids", err)
	}
	v, verr := s.Verify(ctx)
	if verr != nil {
		t.Fatal(verr)
	}
	if len(v.Findings) != 1 || !strings.Contains(v.Findings[0].String(), "sqlite_sequence was set by hand") {
		t.Errorf("Verify() found %v", v.Findings)
	}
	// What the error says to do helps.
	_, cure, _ := strings.Cut(err.Error(), "to go on: ")
	if _, err := db.Exec(cure); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(ctx, store.Pos(1)); err != nil {
		t.Errorf("after that: %v", err)
	}
}
