package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// TestResizeLeavesOpenWhatIsOpen: whoever counts again says nothing of whether
// the end is known.
func TestResizeLeavesOpenWhatIsOpen(t *testing.T) {
	ctx := context.Background()
	s, _ := openTogether(t)
	for _, open := range []bool{false, true} {
		name := map[bool]string{false: "closed", true: "open"}[open]
		r, err := s.Start(ctx, store.Declared{Run: name, Total: cursor.Total{N: 1, Known: true, Open: open}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Resize(ctx, 3); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Complete(ctx, store.Pos(3)); err != nil {
			t.Errorf("%s: Complete(3) of 3 = %v", name, err)
		}
		_, err = r.Complete(ctx, store.Pos(4))
		if open && err != nil || !open && !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: Complete(4) of 3 = %v", name, err)
		}
	}
	if _, err := s.Run("nobody", 1).Resize(ctx, 3); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("Resize of a run that is not there = %v, want ErrNoRun", err)
	}
}
