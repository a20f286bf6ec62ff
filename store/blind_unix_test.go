//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/progmon/progmon/store"
)

// TestBlindFIFO: a FIFO would hang whoever opens it.
func TestBlindFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.OpenReader(context.Background(), path); blindness(err) != store.BlindNotATrail {
		t.Errorf("OpenReader() = %v, want not-a-trail", err)
	}
	if _, err := store.Open(context.Background(), path); blindness(err) != store.BlindNotATrail {
		t.Errorf("Open() = %v, want not-a-trail", err)
	}
}

// asNobody runs a role as a user without rights. Where this test is itself run
// without rights it runs the role as it is.
func asNobody(t *testing.T, role string, args ...string) string {
	t.Helper()
	c := another(role, args...)
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		program := filepath.Join(t.TempDir(), "program")
		body, err := os.ReadFile(os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, body, 0o755); err != nil {
			t.Fatal(err)
		}
		for dir := filepath.Dir(program); dir != filepath.Dir(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if dir == os.TempDir() {
				break
			}
		}
		c.Path = program
		c.Dir = "/"
	}
	out, err := c.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("role %s: %v", role, err)
	}
	return string(out)
}

// TestPermission: what this user may not read is neither missing nor empty.
func TestPermission(t *testing.T) {
	path := trail(t)
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if got := asNobody(t, "read", path); !strings.Contains(got, "blind: permission") {
		t.Errorf("a file without rights: %s", got)
	}
	if got := asNobody(t, "open", path); !strings.Contains(got, "blind: permission") {
		t.Errorf("a file without rights, for writing: %s", got)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0); err != nil {
		t.Fatal(err)
	}
	if got := asNobody(t, "read", path); !strings.Contains(got, "blind: permission") {
		t.Errorf("a directory without rights: %s", got)
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
}
