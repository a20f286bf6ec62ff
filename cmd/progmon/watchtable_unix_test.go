//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/mattn/go-runewidth"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// onTerminal runs the program on a terminal of that size until it has drawn so
// many screens, and then interrupts it.
func onTerminal(t *testing.T, columns, lines uint16, screens int, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("progmon", args...)
	cmd.Env = append(os.Environ(), env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: lines})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	piece := make([]byte, 4096)
	for asked := false; ; {
		n, err := tty.Read(piece)
		out.Write(piece[:n])
		if err != nil {
			break // the terminal went away with the program
		}
		if !asked && strings.Count(out.String(), "\x1b[H") > screens {
			asked = true
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("progmon %q: %v", args, err)
	}
	if err := tty.Close(); err != nil {
		t.Error(err)
	}
	return out.String()
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
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 23 {
		run := fmt.Sprintf("a-run-with-a-rather-long-name-that-must-be-cut-somewhere-%d", i)
		if _, err := s.Start(t.Context(), store.Declared{Run: run, Total: cursor.Total{N: 20, Known: true, Open: true}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	const columns, lines = 50, 14
	for _, row := range []struct {
		env     string
		colours bool
	}{{"NO_COLOR=", true}, {"NO_COLOR=1", false}} {
		out := onTerminal(t, columns, lines, 3, []string{"TERM=xterm", row.env}, "--db", db, "--policy", thresholds, "watch", "--interval", "200ms")
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
