package storetest

import (
	"path/filepath"
	"testing"

	"github.com/progmon/progmon/store"
)

func TestABulkIsATrail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	Bulk{Events: 2000, Runs: 20, Live: 5}.Trail(t, path)
	r, err := store.OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	Verify(t, r)
	live, err := r.Live(t.Context())
	if err != nil || len(live) != 5 {
		t.Errorf("Live() = %q, %v, want five runs", live, err)
	}
	clock, err := r.Clock(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	readings, err := r.Readings(t.Context(), clock, nil)
	if err != nil || len(readings) != 20 {
		t.Fatalf("Readings() = %d runs, %v, want 20", len(readings), err)
	}
	for _, got := range readings {
		if got.Blind.Reason != "" || got.Position != 50 || got.Frontier != 50 {
			t.Errorf("%s: position %d, frontier %d, blind %q, want 50", got.Run, got.Position, got.Frontier, got.Blind.Detail)
		}
	}
}
