package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// small mounts a disk of so many bytes, where this user may: elsewhere the
// limit on the size of a file stands in for it (TestFileSizeLimit).
func small(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(bytes)); err != nil {
		return ""
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk: on a full disk a write fails and says so, nothing that was
// acknowledged is lost, and with room the work goes on in the same Store.
func TestFullDisk(t *testing.T) {
	dir := small(t, 2<<20)
	if dir == "" {
		return
	}
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(dir, "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 1000, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 600<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	done := int64(0)
	for err == nil && done < 900 {
		if _, err = r.CompleteNoted(ctx, store.Pos(done+1), strings.Repeat("x", 4000)); err == nil {
			done++
		}
	}
	if !errors.Is(err, store.ErrNoSpace) {
		t.Fatalf("Complete() = %v after %d steps, want ErrNoSpace", err, done)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	ack, err := r.Complete(ctx, store.Pos(done+1))
	if err != nil || ack.Position != done+1 {
		t.Errorf("Complete() = %+v, %v with room again, want position %d", ack, err, done+1)
	}
	storetest.Verify(t, s.Reader)
}

// TestNoRoomForATrail: nothing is half made.
func TestNoRoomForATrail(t *testing.T) {
	dir := small(t, 32<<10)
	if dir == "" {
		return
	}
	if _, err := store.Open(context.Background(), filepath.Join(dir, "trail.db")); !errors.Is(err, store.ErrNoSpace) {
		t.Errorf("Open() = %v, want ErrNoSpace", err)
	}
}

// TestABackupOnAFullDisk: it says so, and leaves nothing behind.
func TestABackupOnAFullDisk(t *testing.T) {
	dir := small(t, 16<<10)
	if dir == "" {
		return
	}
	r, err := store.OpenReader(context.Background(), trail(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Backup(context.Background(), filepath.Join(dir, "copy.db")); !errors.Is(err, store.ErrNoSpace) {
		t.Errorf("Backup() = %v, want no space", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
