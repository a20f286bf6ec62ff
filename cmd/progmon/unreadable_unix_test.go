//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// stranger runs the program as a user who owns nothing here. Who is not root
// is one for files that he took the right to from himself.
type stranger struct {
	dir, program string
}

func newStranger(t *testing.T) stranger {
	t.Helper()
	s := stranger{dir: t.TempDir(), program: "progmon"}
	if os.Getuid() != 0 {
		return s
	}
	// The program lies in a directory of root's otherwise.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	s.program = filepath.Join(s.dir, "progmon")
	err = errors.Join(os.WriteFile(s.program, body, 0o755), os.Chmod(s.dir, 0o755), os.Chmod(filepath.Dir(s.dir), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s stranger) run(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(s.program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return stdout.String(), stderr.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), 0
}

func (s stranger) trail(t *testing.T, fileMode os.FileMode) string {
	t.Helper()
	path := filepath.Join(s.dir, "trail.db")
	w, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Start(t.Context(), store.Declared{Run: "nightly", Total: cursor.Total{N: 2, Known: true}})
	if err == nil {
		_, err = r.Complete(t.Context(), store.Pos(1))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(path, 0o600); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(path, fileMode); err != nil {
		t.Fatal(err)
	}
	return path
}

// A database that this user may not read is blind, everywhere.
func TestATrailThatMayNotBeReadIsBlind(t *testing.T) {
	s := newStranger(t)
	path := s.trail(t, 0)
	if out, errOut, code := s.run(t, "--db", path, "status"); code != exitBlind || out != "" || !strings.Contains(errOut, "blind: permission") {
		t.Errorf("status = %d, %q, %q; want 3 and blind: permission", code, out, errOut)
	}
	if out, _, code := s.run(t, "--db", path, "status", "--json"); code != exitBlind || !strings.Contains(out, `"reason":"permission"`) {
		t.Errorf("status --json = %d, %q; want 3 and permission", code, out)
	}
	if out, _, code := s.run(t, "--db", path, "watch", "--once"); code != exitBlind || !strings.Contains(out, "BLIND permission") {
		t.Errorf("watch --once = %d, %q; want 3 and BLIND permission", code, out)
	}
	if out, _, code := s.run(t, "--db", path, "watch", "--interval", "100ms", "--for", "3s"); code != 0 ||
		strings.Count(out, "BLIND permission") < 3 {
		t.Errorf("watch = %d, %q; want BLIND permission at every look", code, out)
	}
}

// One that may be read and not written is judged, and said not to be recorded.
func TestATrailThatMayNotBeWrittenIsJudged(t *testing.T) {
	s := newStranger(t)
	path := s.trail(t, 0o444)
	// A worker is at work, so that the write-ahead log is there to be read.
	w, err := store.OpenReader(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Chmod(path+suffix, 0o444); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	out, errOut, code := s.run(t, "--db", path, "watch", "--once")
	if code != exitFenced || !strings.Contains(out, "nightly ADVANCING 1/2") || !strings.Contains(out, "UNRECORDED") {
		t.Errorf("watch --once = %d, %q, %q; want the verdict and that it is unrecorded", code, out, errOut)
	}
	out, _, code = s.run(t, "--db", path, "watch", "--interval", "100ms", "--for", "3s", "--json")
	if code != 0 || strings.Count(out, `"state":"unrecorded"`) < 3 || strings.Contains(out, `"type":"blind"`) {
		t.Errorf("watch --json = %d, %q; want a line a look that it is unrecorded", code, out)
	}
}
