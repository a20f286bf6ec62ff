//go:build unix

package store_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// long is a trail with a run r of n steps.
func long(t testing.TB, n int64) (*store.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trail.db")
	s := storetest.OpenAt(t, path)
	if _, err := s.Start(context.Background(), store.Declared{Run: "r", Total: cursor.Total{N: n, Known: true}}); err != nil {
		t.Fatal(err)
	}
	return s, path
}

// TestAcknowledgedStepsSurviveKill: what a worker was told is durable is there
// after kill -9, whenever it comes.
func TestAcknowledgedStepsSurviveKill(t *testing.T) {
	s, path := long(t, 100_000)
	next := int64(1)
	for round := range 15 {
		c := another("work", path, strconv.FormatInt(next, 10))
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		told := next - 1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if told, err = strconv.ParseInt(lines.Text(), 10, 64); err != nil {
				t.Fatalf("the worker says %q", lines.Text())
			}
			if told == next+int64(round*7%40) {
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = c.Wait() // it was killed
		ack, err := s.Run("r", 1).Note(context.Background(), "killed")
		if err != nil {
			t.Fatal(err)
		}
		if ack.Position < told || ack.Position > told+1 {
			t.Fatalf("%d steps were acknowledged, and %d are there", told, ack.Position)
		}
		next = ack.Position + 1
	}
	storetest.Verify(t, s.Reader)
}

// filled reads what the role fill said.
func filled(t *testing.T, out []byte) (done int64, why string) {
	t.Helper()
	count, why, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	done, err := strconv.ParseInt(count, 10, 64)
	if err != nil {
		t.Fatalf("the worker says %q", out)
	}
	return done, why
}

// TestFileSizeLimit: a write that does not fit is refused, and all that was
// acknowledged is there.
func TestFileSizeLimit(t *testing.T) {
	s, path := long(t, 2000)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := another("fill", path, strconv.FormatInt(info.Size()+200_000, 10)).Output()
	if err != nil {
		t.Logf("the worker ended with %v", err)
	}
	done, why := filled(t, out)
	if !strings.Contains(why, store.ErrNoSpace.Error()) {
		t.Errorf("the worker was refused with %q, want %q", why, store.ErrNoSpace)
	}
	holds(t, path, done)
}

// holds finds exactly so many steps done, and a clean trail.
func holds(t *testing.T, path string, done int64) {
	t.Helper()
	again := storetest.OpenAt(t, path)
	ack, err := again.Run("r", 1).Note(context.Background(), "there is room again")
	if err != nil || ack.Position != done || done == 0 {
		t.Errorf("%d steps were acknowledged, and %d are there, %v", done, ack.Position, err)
	}
	storetest.Verify(t, again.Reader)
}

// TestASmallFileIsNoTrail: where not even the schema fits, Open says so.
func TestASmallFileIsNoTrail(t *testing.T) {
	out, err := another("fill", filepath.Join(t.TempDir(), "trail.db"), "20000").Output()
	if err == nil || !strings.Contains(string(out), store.ErrNoSpace.Error()) {
		t.Errorf("Open() = %v, %q, want %q", err, out, store.ErrNoSpace)
	}
}
