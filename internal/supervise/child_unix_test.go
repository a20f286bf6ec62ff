//go:build unix

package supervise

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

// start forks a command that writes to a file of its own.
func start(t *testing.T, argv ...string) (*child, string, error) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close(); null.Close() })
	c, err := fork(spawn{command: Command{Argv: argv, Dir: t.TempDir(), Env: os.Environ()}, env: os.Environ(), stdin: null, log: log})
	return c, log.Name(), err
}

// run is start, release and reap.
func run(t *testing.T, argv ...string) (status, string) {
	t.Helper()
	c, log, err := start(t, argv...)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.release(); err != nil {
		t.Fatal(err)
	}
	s, err := c.reap()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text)
}

func TestEveryExitCodeIsKept(t *testing.T) {
	for code := range 256 {
		s, _ := run(t, "sh", "-c", fmt.Sprintf("exit %d", code))
		if s.code != code || s.signal != 0 || s.shell() != code {
			t.Errorf("exit %d is %+v", code, s)
		}
	}
}

func TestEverySignalIsKept(t *testing.T) {
	for sig := 1; sig < 65; sig++ {
		switch syscall.Signal(sig) {
		case syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
			syscall.SIGURG, syscall.SIGWINCH, 32, 33: // they end nothing, or belong to the C library
			continue
		}
		s, _ := run(t, "sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$; sleep 5", sig))
		if s.signal != sig || s.shell() != 128+sig {
			t.Errorf("signal %d is %+v", sig, s)
		}
	}
}

// The number is known, and is the command's, before the command runs.
func TestACommandWaitsAtTheGate(t *testing.T) {
	c, log, err := start(t, "sh", "-c", "echo $$; echo $0 >&2", "a b")
	if err != nil {
		t.Fatal(err)
	}
	if got := presence.Look(c.id); got != cursor.Alive {
		t.Errorf("a child at the gate is %s", got)
	}
	if text, err := os.ReadFile(log); err != nil || len(text) > 0 {
		t.Errorf("a command that was not let go wrote %q, %v", text, err)
	}
	if err := c.release(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.reap(); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(log); string(text) != fmt.Sprintf("%d\na b\n", c.pid) {
		t.Errorf("pid %d wrote %q", c.pid, text)
	}
}

func TestAnAbandonedCommandNeverRuns(t *testing.T) {
	c, log, err := start(t, "sh", "-c", "echo ran")
	if err != nil {
		t.Fatal(err)
	}
	c.abandon()
	if text, err := os.ReadFile(log); err != nil || len(text) > 0 {
		t.Errorf("an abandoned command wrote %q, %v", text, err)
	}
	if got := presence.Look(c.id); got != cursor.Gone {
		t.Errorf("an abandoned child is %s", got)
	}
}

// Its number is on disk by then, so anybody may find it and end it.
func TestAChildEndedAtTheGate(t *testing.T) {
	c, log, err := start(t, "sh", "-c", "echo ran")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child to end", c.ended)
	if err := c.release(); err != nil {
		t.Errorf("release = %v", err)
	}
	if s, err := c.reap(); err != nil || s.shell() != 128+9 {
		t.Errorf("reap = %+v, %v, want signal 9", s, err)
	}
	if text, err := os.ReadFile(log); err != nil || len(text) > 0 {
		t.Errorf("it wrote %q, %v", text, err)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode fs.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return name
	}
	for _, row := range []struct {
		claim string
		name  string
		code  int
	}{
		{"not in PATH", "no-such-command-anywhere", 127},
		{"no such file", filepath.Join(dir, "none"), 127},
		{"a file as a directory", filepath.Join(file("plain", "", 0o600), "below"), 127},
		{"no interpreter", file("orphan", "#!/no/such/interpreter\n", 0o700), 127},
		{"no execute bit", file("script", "#!/bin/sh\n", 0o600), 126},
		{"a directory", dir, 126},
		{"no format that the system knows", file("text", "just text\n", 0o700), 126},
		{"an empty name", "", 127},
	} {
		c, _, err := start(t, row.name)
		if err == nil {
			err = c.release()
		}
		spawn := &SpawnError{row.name, err}
		if err == nil || spawn.Code() != row.code {
			t.Errorf("%s: %v, code %d, want %d", row.claim, err, spawn.Code(), row.code)
		}
	}
}

func TestTheCommandFindsNoFilesOfOurs(t *testing.T) {
	_, text := run(t, "sh", "-c", "ls /proc/self/fd /dev/fd 2>/dev/null | tr '\\n' ' '")
	for _, fd := range []string{" 4 ", " 5 "} {
		if strings.Contains(text, fd) {
			t.Errorf("the command finds %s open: %s", fd, text)
		}
	}
	s, _ := run(t, "sh", "-c", "read line")
	if s.code != 1 {
		t.Errorf("reading from an empty stdin: %+v, want exit 1", s)
	}
}

func TestOffspring(t *testing.T) {
	table := []Process{
		{PID: 1}, {PID: 10, Parent: 1}, {PID: 11, Parent: 10, Group: 11}, {PID: 12, Parent: 11, Group: 11, State: "Z"},
		{PID: 13, Parent: 12, Group: 11}, {PID: 14, Parent: 1, Group: 11}, {PID: 15, Parent: 1, Group: 1}, {PID: 16, Parent: 10, Group: 16},
	}
	var got []int
	for _, p := range offspring(table, 10, 11) {
		got = append(got, p.PID)
	}
	if want := []int{11, 13, 14, 16}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("offspring = %v, want %v", got, want)
	}
	if got := members(table, 11); len(got) != 3 {
		t.Errorf("members = %v, want three that live", got)
	}
}
