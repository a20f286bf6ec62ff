package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func openTogether(t *testing.T) (*store.Store, *store.Run) {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := s.Start(ctx, store.Declared{Run: "together", Total: cursor.Total{N: 9, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// TestTogetherKeepsWhatWasAcceptedAndNotWhatWasRefused: each write of a shared
// transaction is judged on its own, in order.
func TestTogetherKeepsWhatWasAcceptedAndNotWhatWasRefused(t *testing.T) {
	ctx := context.Background()
	s, r := openTogether(t)
	var first, last store.Ack
	err := s.Together(ctx, func(s *store.Store) error {
		mine, late := s.Run(r.ID(), 1), s.Run(r.ID(), 7)
		var err error
		if first, err = mine.Complete(ctx, store.Pos(1)); err != nil {
			t.Errorf("Complete(1) together = %v", err)
		}
		if _, err := mine.Skip(ctx, store.Pos(2), store.Pos(99)); !errors.Is(err, store.ErrRefused) {
			t.Errorf("Skip(2, 99) together = %v, want ErrRefused", err)
		}
		if _, err := late.Complete(ctx, store.Pos(3)); !errors.Is(err, store.ErrFenced) {
			t.Errorf("Complete(3) in epoch 7 together = %v, want ErrFenced", err)
		}
		if last, err = mine.Complete(ctx, store.Pos(4)); err != nil {
			t.Errorf("Complete(4) together = %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if first.Position != 1 || last.Position != 2 || last.Event <= first.Event {
		t.Errorf("acks %+v and %+v, want positions 1 and 2 in order", first, last)
	}
	if ack, err := r.Complete(ctx, store.Pos(5)); err != nil || ack.Position != 3 {
		t.Errorf("Complete(5) afterwards = %+v, %v, want position 3", ack, err)
	}
}

// TestTogetherThatFailsWroteNothing: the acks of a transaction that was given
// up are void.
func TestTogetherThatFailsWroteNothing(t *testing.T) {
	ctx := context.Background()
	s, r := openTogether(t)
	for _, why := range []error{store.ErrRefused, errors.New("the worker changed its mind")} {
		err := s.Together(ctx, func(s *store.Store) error {
			if _, err := s.Run(r.ID(), 1).Complete(ctx, store.Pos(1)); err != nil {
				t.Error(err)
			}
			return why
		})
		if !errors.Is(err, why) {
			t.Errorf("Together = %v, want %v", err, why)
		}
	}
	if ack, err := r.Complete(ctx, store.Pos(2)); err != nil || ack.Position != 1 {
		t.Errorf("Complete(2) afterwards = %+v, %v, want position 1", ack, err)
	}
	gone, cancel := context.WithCancel(ctx)
	err := s.Together(ctx, func(s *store.Store) error {
		cancel()
		_, err := s.Run(r.ID(), 1).Complete(gone, store.Pos(3))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Complete with a context that ended = %v, want Canceled", err)
		}
		return nil
	})
	if err != nil {
		t.Errorf("Together = %v", err)
	}
}
