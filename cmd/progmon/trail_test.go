package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/progmon/progmon/store"
)

// TestATrailInTheMakingIsWaitedFor: the first start has an empty file under the
// name for a moment, and a lock beside it. What is no trail, and nobody's work
// of this moment, is told at once.
func TestATrailInTheMakingIsWaitedFor(t *testing.T) {
	blind := func(reason string) error { return &store.BlindError{Reason: reason} }
	for _, c := range []struct {
		claim  string
		lock   bool
		age    time.Duration
		reason string
		opens  int
	}{
		{"made by a progmon now", true, 0, store.BlindEmpty, 3},
		{"half made", true, 0, store.BlindNotATrail, 3},
		{"made by another progmon's clock", true, -time.Second, store.BlindEmpty, 3},
		{"left empty long ago", true, time.Hour, store.BlindEmpty, 1},
		{"made by somebody else", false, time.Second, store.BlindEmpty, 1},
		{"damaged", true, 0, store.BlindCorrupt, 1},
	} {
		path := filepath.Join(t.TempDir(), "trail.db")
		files := []string{path}
		if c.lock {
			files = append(files, path+"-lock")
		}
		for _, name := range files {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if then := time.Now().Add(-c.age); c.age != 0 {
			if err := os.Chtimes(path, then, then); err != nil {
				t.Fatal(err)
			}
		}
		opens := 0
		_, err := whole(t.Context(), path, func() (int, error) {
			if opens++; opens == 3 {
				return 0, nil
			}
			return 0, blind(c.reason)
		})
		if seen := err == nil; opens != c.opens || seen != (c.opens == 3) {
			t.Errorf("%s: %d opens, then %v, want %d", c.claim, opens, err, c.opens)
		}
	}
}
