package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
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
	r, err := OpenReader(t.Context(), path, WithBusyTimeout(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := r.view(context.Background(), func(*conn) error { return nil }); err == nil {
		t.Error("a closed reader reads")
	}
}
