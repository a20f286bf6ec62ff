package store_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestABackupOfBusyWork: copies made while eight goroutines complete steps are
// each a prefix of the log that verifies, and anybody's sha256sum agrees.
func TestABackupOfBusyWork(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	const workers, each = 8, 150
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: workers * each, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	busy, stop := context.WithCancel(ctx)
	for w := range int64(workers) {
		all.Go(func() {
			for i := range int64(each) {
				if _, err := r.Complete(ctx, store.Pos(w*each+i+1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() { all.Wait(); stop() }()
	dir, last := t.TempDir(), int64(0)
	for i := 0; ; i++ {
		over := busy.Err() != nil // the last copy is of all the work
		out := filepath.Join(dir, "copy-"+string(rune('a'+i))+".db")
		c, err := s.Backup(ctx, out)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(out); err != nil || info.Size() != c.Bytes || info.Mode().Perm() != 0o600 {
			t.Errorf("stat of the copy: %v, %v, want %d bytes, 0600", info, err, c.Bytes)
		}
		sum := exec.Command("sha256sum", "-c", out+".sha256")
		sum.Dir = dir
		if said, err := sum.CombinedOutput(); err != nil {
			t.Errorf("sha256sum -c: %v: %s", err, said)
		}
		b, err := store.OpenReader(ctx, out)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Verify(ctx)
		if err != nil || !v.Clean() || v.Events < last {
			t.Errorf("Verify() of copy %d = %+v, %v, want it clean, and no shorter than %d events", i, v, err, last)
		}
		last = v.Events
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if over || i == 20 {
			break
		}
	}
	all.Wait()
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

// TestAFlippedByteOfABackup: any one is caught by the digest, wherever it is.
func TestAFlippedByteOfABackup(t *testing.T) {
	ctx := context.Background()
	r, err := store.OpenReader(ctx, trail(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out := filepath.Join(t.TempDir(), "copy.db")
	c, err := r.Backup(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	if ok, checked, err := store.CheckDigest(out); !ok || !checked || err != nil {
		t.Errorf("CheckDigest() = %v, %v, %v of a good copy", ok, checked, err)
	}
	body, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(0); at < c.Bytes; at += c.Bytes/97 + 1 {
		bad := append([]byte(nil), body...)
		bad[at] ^= 1
		if err := os.WriteFile(out, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if ok, checked, err := store.CheckDigest(out); ok || !checked || err != nil {
			t.Fatalf("CheckDigest() = %v, %v, %v with byte %d flipped", ok, checked, err, at)
		}
	}
	if ok, checked, err := store.CheckDigest(r.Path()); ok || checked || err != nil {
		t.Errorf("CheckDigest() = %v, %v, %v where there is no digest", ok, checked, err)
	}
}

// TestABackupTakesNoName: nothing is written over, and what fails leaves
// nothing behind.
func TestABackupTakesNoName(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "there.db"), "precious")
	put(t, filepath.Join(dir, "digest.db.sha256"), "precious")
	before := listing(t, dir)
	for _, out := range []string{
		filepath.Join(dir, "there.db"), filepath.Join(dir, "digest.db"), filepath.Join(dir, "none", "x.db"), dir, path, "",
	} {
		if _, err := r.Backup(ctx, out); !errors.Is(err, store.ErrCannotCreate) {
			t.Errorf("Backup(%q) = %v, want cannot create", out, err)
		}
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Backup(over, filepath.Join(dir, "x.db")); err == nil {
		t.Error("a backup that was cancelled succeeded")
	}
	if after := listing(t, dir); after != before {
		t.Errorf("what failed changed %q to %q", before, after)
	}
	if strings.Contains(before, ".x.db") {
		t.Errorf("left over: %q", before)
	}
}
