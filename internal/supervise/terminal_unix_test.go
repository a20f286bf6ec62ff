//go:build unix

package supervise

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// With the terminal as its stdin the command has the foreground, so that it may
// read from it, and its interrupt is the command's; without, reading is the end
// of the file at once.
func TestTheTerminal(t *testing.T) {
	p := newPlan(t, "sh", "-c", "read a; echo got $a; read b; echo never")
	p.Stdin, p.Tee = true, true
	w, terminal := onTerminal(t, p)
	fmt.Fprintln(terminal, "forty-two")
	lines := bufio.NewScanner(terminal)
	for lines.Scan() && !strings.Contains(lines.Text(), "got forty-two") {
	}
	if !strings.Contains(lines.Text(), "got forty-two") {
		t.Fatalf("the command has not read from the terminal: %v", lines.Err())
	}
	fmt.Fprint(terminal, "\x03") // Ctrl-C
	if err := w.Wait(); w.ProcessState.ExitCode() != 130 {
		t.Errorf("exit %d, %v, want 130", w.ProcessState.ExitCode(), err)
	}

	p = newPlan(t, "sh", "-c", "read a || echo nothing to read; exit 4")
	p.Tee = true
	w, _ = onTerminal(t, p)
	if err := w.Wait(); w.ProcessState.ExitCode() != 4 {
		t.Errorf("exit %d, %v, want 4", w.ProcessState.ExitCode(), err)
	}
}

// onTerminal is wrap with a terminal of its own.
func onTerminal(t *testing.T, p plan) (*exec.Cmd, *os.File) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "wrap", p.encode(t))
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); terminal.Close() })
	return cmd, terminal
}
