//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/mattn/go-runewidth"
)

// onTerminal runs the program on a terminal of that size, to its end.
func onTerminal(t *testing.T, columns, lines uint16, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("progmon", args...)
	cmd.Env = append(os.Environ(), env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: lines})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(tty) // which ends in an error of the terminal that went away
	if err := cmd.Wait(); err != nil {
		t.Errorf("progmon %q: %v", args, err)
	}
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	return string(out)
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// On a terminal the table is drawn in place, within its width and height, and
// says everything in words.
func TestTheTableKeepsToTheTerminal(t *testing.T) {
	dir := t.TempDir()
	db, thresholds := filepath.Join(dir, "trail.db"), filepath.Join(dir, "policy.toml")
	if err := os.WriteFile(thresholds, []byte(quick), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"nightly", "import", "a-run-with-a-rather-long-name-that-must-be-cut-somewhere"} {
		program(t, "--db", db, "start", run, "--total", "2000")
		program(t, "--db", db, "step", "done", "1", "--run", run)
	}
	for range 20 {
		program(t, "--db", db, "start")
	}
	const columns, lines = 50, 14
	for _, row := range []struct {
		env     string
		colours bool
	}{{"NO_COLOR=", true}, {"NO_COLOR=1", false}} {
		out := onTerminal(t, columns, lines, []string{"TERM=xterm", row.env}, "--db", db, "--policy", thresholds, "watch", "--interval", "200ms", "--for", "900ms")
		if got := colours.MatchString(out); got != row.colours {
			t.Errorf("with %s there are colours: %v, want %v", row.env, got, row.colours)
		}
		screens := strings.Split(colours.ReplaceAllString(out, ""), "\x1b[H")
		if len(screens) < 3 {
			t.Fatalf("the screen was drawn %d times, want at every look", len(screens)-1)
		}
		for _, screen := range screens[1:] {
			screen = strings.ReplaceAll(strings.ReplaceAll(screen, "\x1b[K", ""), "\x1b[J", "")
			drawn := strings.Split(strings.TrimSuffix(screen, "\r\n"), "\r\n")
			if len(drawn) > lines-1 {
				t.Errorf("%d lines on a screen of %d:\n%s", len(drawn), lines, screen)
			}
			for _, line := range drawn {
				if strings.ContainsRune(line, '\x1b') || runewidth.StringWidth(line) > columns {
					t.Errorf("the line %q is wider than %d", line, columns)
				}
			}
		}
		last := screens[len(screens)-1]
		if !strings.HasPrefix(last, "STALLED  23 of 23 runs are not moving") {
			t.Errorf("the first line is %q", strings.SplitN(last, "\n", 2)[0])
		}
	}
}
