package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
)

// Field case 69: 10,000 runs, ten of them live.
func TestStatusOfTenThousandRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	bulk := storetest.Bulk{Events: 100_000, Runs: 10_000, Live: 10}
	ended := "9,990 runs that ended are not shown (9,990 done)"
	if raceDetector {
		bulk = storetest.Bulk{Events: 10_000, Runs: 1_000, Live: 10}
		ended = "990 runs that ended are not shown (990 done)"
	}
	bulk.Trail(t, path)
	best := time.Hour
	for range 3 {
		began := time.Now()
		out, errOut, code := called(t, "--db", path, "status")
		best = min(best, time.Since(began))
		if code != 0 || !strings.Contains(out, ended) || strings.Count(out, "\n") != 15 {
			t.Fatalf("status = %d, %s, %.2000s", code, errOut, out)
		}
	}
	t.Logf("%v", best)
	if most := time.Second; best > most && !raceDetector {
		t.Errorf("status of 10,000 runs took %v, want at most %v", best, most)
	}
}
