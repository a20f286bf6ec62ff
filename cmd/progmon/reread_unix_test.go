//go:build unix

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hearing gives the lines of r that hold some words, one after the other; it
// fails the test when none comes for a long time.
func hearing(t *testing.T, r io.Reader) func(words string) string {
	t.Helper()
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return func(words string) string {
		t.Helper()
		for patience := time.After(time.Minute); ; {
			select {
			case line, more := <-lines:
				if strings.Contains(line, words) {
					return line
				}
				if !more {
					t.Fatalf("the program ended without a line with %q", words)
				}
			case <-patience:
				t.Fatalf("no line with %q came", words)
			}
		}
	}
}

// TestAHangupReadsThePolicyAgain: a real monitor, a real signal. What the file
// says holds from the next look; a file with a fault changes nothing and ends
// nothing.
func TestAHangupReadsThePolicyAgain(t *testing.T) {
	for _, c := range []struct {
		form                  string
		args                  []string
		begun, stalled, again string
	}{
		{"lines", nil, "watching", "r1 STALLED", "POLICY"},
		{"JSON", []string{"--json"}, `"state":"started"`, `"signal":"stalled"`, `"state":"reread"`},
	} {
		t.Run(c.form, func(t *testing.T) {
			dir := t.TempDir()
			db, policy := filepath.Join(dir, "trail.db"), filepath.Join(dir, "policy.toml")
			write := func(text string) {
				t.Helper()
				if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("[default]\nidle_window = \"1h\"\nstall_after = \"2h\"\nescalate_after = \"3h\"\n")
			if _, code := program(t, "--db", db, "start", "r1", "--total", "3"); code != 0 {
				t.Fatalf("start exits %d", code)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "progmon", append([]string{"--db", db, "--policy", policy, "watch", "--interval", "100ms"}, c.args...)...)
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said, complained := hearing(t, stdout), hearing(t, stderr)
			hangup := func() {
				t.Helper()
				if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
					t.Fatal(err)
				}
			}
			said(c.begun)
			write("[default]\nidle_window = 5\n")
			hangup()
			complained("policy.toml:2: idle_window is a bare number")
			complained("hint: the thresholds that were in force stay")
			write(quick + "[monitor]\ninterval = \"1s\"\n[family.a]\n[family.b]\n")
			hangup()
			if line := said(c.again); !strings.Contains(line, "policy.toml was read again, with 2 families; [monitor] holds from the next start") {
				t.Errorf("it says %s", line)
			}
			said(c.stalled)
			if err := os.Remove(policy); err != nil {
				t.Fatal(err)
			}
			hangup()
			complained("no such file")
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the monitor ends with %v", err)
			}
		})
	}
}
