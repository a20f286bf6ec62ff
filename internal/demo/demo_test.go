package demo

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDemoKeepsItsClaims plays the whole demo, as long as a user sees it.
func TestDemoKeepsItsClaims(t *testing.T) {
	const lasts = 30 * time.Second
	var out bytes.Buffer
	dir, began := t.TempDir(), time.Now()
	err := Run(t.Context(), Options{
		Program: filepath.Join(bin, "progmon"), GoWorker: filepath.Join(bin, "goworker"), Dir: dir, For: lasts,
	}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if took := time.Since(began); took >= time.Minute {
		t.Errorf("the demo took %s, want under a minute", took)
	}
	// The README shows lines of it. Whether a run was seen while it started is
	// chance.
	plain := func(text string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(text, "starting, ", "")), " ")
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(readme)) {
		shown := strings.HasPrefix(line, "  ok  ") && !strings.HasPrefix(line, "  ok  (trail)") || strings.HasSuffix(line, "look for yourself:\n")
		if shown && !strings.Contains(plain(out.String()), plain(line)) {
			t.Errorf("the README shows a line that the demo does not print: %s", line)
		}
	}

	// What it leaves can be looked at with the commands that it names.
	s := stage{dir: dir}
	for _, argv := range [][]string{{"status"}, {"show", "retry"}} {
		cmd := exec.Command(filepath.Join(bin, "progmon"), append(argv, "--db", s.trail(), "--policy", s.policy())...)
		answer, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(answer, []byte("retry")) {
			t.Errorf("progmon %s = %v\n%s", strings.Join(argv, " "), err, answer)
		}
	}
	verify := exec.Command(filepath.Join(bin, "progmon"), "db", "verify", "--db", s.trail())
	if answer, err := verify.CombinedOutput(); err != nil {
		t.Errorf("the trail of the demo: %v\n%s", err, answer)
	}
}

// TestInterruptedDemoLeavesNobodyBehind: no worker, no watch, nothing that they
// started. (Where there is no /proc only the rest of it is looked at.)
func TestInterruptedDemoLeavesNobodyBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var out bytes.Buffer
	err := Run(ctx, Options{
		Program: filepath.Join(bin, "progmon"), GoWorker: filepath.Join(bin, "goworker"), Dir: dir, For: 10 * time.Second,
	}, &out)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("an interrupted demo = %v\n%s", err, out.String())
	}
	if n := len(events(t, stage{dir: dir}.trail())); n < 20 {
		t.Errorf("%d rows in three seconds, want more\n%s", n, out.String())
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, process := range processes {
		if words, err := os.ReadFile(process); err == nil && bytes.Contains(words, []byte(dir)) {
			t.Errorf("%s still runs: %q", process, words)
		}
	}
}
