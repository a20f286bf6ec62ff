package store_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestWhatIsDeletedBesideATrailLosesNoStep: the log, its index, or both go
// while one process has the trail open, and another one works on. Whoever is
// left with what was deleted writes no more, and its closing undoes nothing that
// was acknowledged to the other. Once it has closed, sight is back.
func TestWhatIsDeletedBesideATrailLosesNoStep(t *testing.T) {
	ctx := context.Background()
	for _, gone := range [][]string{{"-shm"}, {"-wal"}, {"-wal", "-shm"}} {
		t.Run(strings.Join(gone, ""), func(t *testing.T) {
			path := trail(t)
			s := storetest.OpenAt(t, path)
			run := s.Run("r", 1)
			if _, err := run.Complete(ctx, store.Pos(1)); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(ctx); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range gone {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			// It ends at step 6, which is not there, or at once where it sees that
			// the log does not fit its index; in either case without closing.
			said, _ := another("work", path, "2").Output()
			acknowledged := map[int64]bool{1: gone[0] == "-shm"}
			for line := range strings.Lines(string(said)) {
				if pos, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
					acknowledged[pos] = true
				}
			}
			if !acknowledged[5] && gone[len(gone)-1] == "-shm" {
				t.Fatalf("the other process did %q, want steps 2 to 5", said)
			}
			if _, err := run.Complete(ctx, store.Pos(1)); blindness(err) != store.BlindReplaced {
				t.Errorf("Complete() = %v, want replaced", err)
			}
			for range 3 {
				if got := blindness(s.Check(ctx)); got != store.BlindReplaced {
					t.Errorf("Check() = %q, want replaced", got)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			r, err := store.OpenReader(ctx, path)
			if err != nil {
				t.Fatalf("OpenReader() = %v after all have closed", err)
			}
			defer r.Close()
			storetest.Verify(t, r)
			events, err := r.Events(ctx, store.EventFilter{Run: "r"})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if e.Kind == cursor.StepDone {
					delete(acknowledged, *e.Step)
				}
			}
			for pos, was := range acknowledged {
				if was {
					t.Errorf("step %d was acknowledged and is lost", pos)
				}
			}
		})
	}
}
