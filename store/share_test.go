package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestSharedCompletions: completions that meet in a transaction share a
// statement, and each is answered as if it had come alone: in several runs,
// with one that is fenced, some that are done already or asked for twice, some
// that have no row yet and some beyond the total.
func TestSharedCompletions(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	const n = 40
	start := func(id string, total cursor.Total) *store.Run {
		r, err := s.Start(ctx, store.Declared{Run: id, Total: total})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	laid := start("laid", cursor.Total{N: n, Known: true})
	met := start("met", cursor.Total{Open: true})
	old := start("old", cursor.Total{N: n, Known: true})
	if _, err := s.Takeover(ctx, "old", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := laid.Complete(ctx, store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	// A stranger holds the lock until all are queued or nearly so.
	db := hostile(t, s.Path())
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	var all, calling sync.WaitGroup
	for pos := int64(1); pos <= n; pos++ {
		for _, c := range []struct {
			run  *store.Run
			pos  int64
			want error
		}{
			{laid, pos, nil}, {laid, pos, nil}, {laid, n + pos, store.ErrRefused},
			{met, pos, nil}, {met, pos, nil},
			{old, pos, store.ErrFenced}, {s.Run("nobody", 1), pos, store.ErrNoRun}, {s.Run("No Run", 1), pos, store.ErrNoRun},
		} {
			calling.Add(1)
			all.Go(func() {
				calling.Done()
				ack, err := c.run.Complete(ctx, store.Pos(c.pos))
				if !errors.Is(err, c.want) || err == nil && (ack.Event == 0 || ack.Position == 0 || ack.Position > n) {
					t.Errorf("Complete(%d) of %s = %+v, %v, want %v", c.pos, c.run.ID(), ack, err, c.want)
				}
			})
		}
	}
	calling.Wait()
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	for _, r := range []*store.Run{laid, met} {
		if ack, err := r.Note(ctx, ""); err != nil || ack.Position != n {
			t.Errorf("position of %s = %d, %v, want %d", r.ID(), ack.Position, err, n)
		}
	}
}
