package store

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
)

// TestAReadThatHangsHoldsNobodyUp: a look that does not answer is blind, with
// the reason hung, and closing the trail does not wait for it. Closing used to
// wait for ever, and a connection closed under a read used to crash it.
func TestAReadThatHangsHoldsNobodyUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r.opt.busy = 50 * time.Millisecond
	seen := r.cur
	release, after := make(chan struct{}), make(chan error, 1)
	var blind *BlindError
	err = r.view(t.Context(), func(c *conn) error {
		<-release
		err := c.plain("SELECT 1")
		after <- err
		return err
	})
	if !errors.As(err, &blind) || blind.Reason != BlindHung {
		t.Errorf("a read that hangs = %v, want blind: hung", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- r.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Close waits for a read that hangs")
	}
	close(release)
	if err := <-after; err != nil {
		t.Errorf("the connection was closed under the read: %v", err)
	}
	seen.view.mu.Lock() // which the read has until it is over
	if seen.view.conn != nil {
		t.Error("the read that came back left its connection open")
	}
	seen.view.mu.Unlock()
	if err := r.view(context.Background(), func(*conn) error { return nil }); err == nil {
		t.Error("a closed reader reads")
	}
	// One that had got as far as waiting for the read that hung.
	err = seen.view.snapshot(r.path, r.opt, seen, func(*conn) error { return nil })
	if !errors.Is(err, ErrClosed) || seen.view.conn != nil {
		t.Errorf("a read that waited while the reader was closed = %v, its connection %v", err, seen.view.conn)
	}
}

// TestALookThatWasGivenUpCallsNobody: what it would ask whoever looks is read
// by who has gone on since, and changed.
func TestALookThatWasGivenUpCallsNobody(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	release, called := make(chan struct{}), 0
	var hangs atomic.Bool
	r, err := OpenReader(t.Context(), path, WithNow(func() cursor.Instant {
		if hangs.Load() {
			<-release
		}
		return Now()
	}))
	if err != nil {
		t.Fatal(err)
	}
	ask := Ask{
		Due:    func(_ time.Time, runs []string) []string { called++; return runs },
		Charge: func(time.Duration, cursor.Instant) time.Duration { called++; return 0 },
	}
	if _, err := r.Look(t.Context(), ask); err != nil || called != 2 {
		t.Fatalf("a look called %d times, %v, want 2", called, err)
	}
	r.opt.busy = 50 * time.Millisecond
	hangs.Store(true)
	if _, err := r.Look(t.Context(), ask); err == nil {
		t.Fatal("a look that hangs was answered")
	}
	called = 0 // as who looks goes on
	view := &r.cur.view
	close(release)
	view.mu.Lock() // which the look has until it is over
	if called != 0 {
		t.Errorf("a look that was given up called %d times", called)
	}
	view.mu.Unlock()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
