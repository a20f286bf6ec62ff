//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
			complained("hint: what was in force stays")
			write(quick + "[monitor]\ninterval = \"1s\"\n[family.a]\n[family.b]\n")
			hangup()
			if line := said(c.again); !strings.Contains(line, "policy.toml was read again, with 2 families; interval and late_after of [monitor] hold from the next start") {
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

// TestAHangupReadsTheSinksAgain: a signal goes where the file says when it comes
// up, signed with the secret of then. A sink with a fault changes nothing, and
// for one that is gone nothing is kept.
func TestAHangupReadsTheSinksAgain(t *testing.T) {
	dir := t.TempDir()
	db, policy, log := filepath.Join(dir, "trail.db"), filepath.Join(dir, "policy.toml"), filepath.Join(dir, "log.jsonl")
	arrived := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // who sent it hung up
		}
		signer := "nobody"
		for _, secret := range []string{"one", "two"} {
			mac := hmac.New(sha256.New, []byte(secret))
			_, _ = mac.Write([]byte(r.Header.Get("webhook-id") + "." + r.Header.Get("webhook-timestamp") + "." + string(body)))
			if r.Header.Get("webhook-signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) {
				signer = secret
			}
		}
		arrived <- r.Header.Get("ce-subject") + " by " + signer
	}))
	defer server.Close()
	write := func(sinks string) {
		t.Helper()
		if err := os.WriteFile(policy, []byte(quick+sinks), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hook := func(secret string) string {
		return fmt.Sprintf("[sink.page]\ntype = \"webhook\"\nurl = %q\nsecret = %q\nkinds = [\"stalled\"]\n", server.URL, secret)
	}
	write("")
	program(t, "--db", db, "start", "r0", "--total", "3")
	cmd := exec.Command("progmon", "--db", db, "--policy", policy, "watch", "--interval", "100ms", "--for", "3m")
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
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	said, complained := hearing(t, stdout), hearing(t, stderr)
	hangup := func() {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	stalls := func(run, want string) {
		t.Helper()
		program(t, "--db", db, "start", run, "--total", "3")
		said(run + " STALLED")
		if want == "" {
			return
		}
		select {
		case got := <-arrived:
			if got != want {
				t.Errorf("%s arrived, want %s", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s did not arrive", want)
		}
	}
	said("r0 STALLED")
	write(hook("one"))
	hangup()
	if line := said("POLICY"); !strings.Contains(line, "it delivers to page") {
		t.Errorf("it says %s", line)
	}
	stalls("r1", "r1 by one")
	write(hook("two") + fmt.Sprintf("[sink.log]\ntype = \"jsonl\"\npath = %q\n", log))
	hangup()
	said("it delivers to page, log")
	stalls("r2", "r2 by two")
	write(hook("one") + "[sink.chat]\ntype = \"template\"\nurl = \"http://127.0.0.1:1\"\ntemplate_file = \"none.tmpl\"\n")
	hangup()
	complained("[sink.chat]: read the template")
	complained("hint: what was in force stays")
	stalls("r3", "r3 by two")
	write("")
	hangup()
	said("it delivers to nobody any more")
	stalls("r4", "")
	if out, _ := program(t, "--db", db, "sinks", "outbox", "list", "--all"); strings.Contains(out, "r4") || !strings.Contains(out, "r3") {
		t.Errorf("the outbox holds %s, want r3 and not r4", out)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), `"run":"r2"`) || strings.Contains(string(text), `"run":"r1"`) {
		t.Errorf("the file has %s, %v, want r2 and not r1", text, err)
	}
}
