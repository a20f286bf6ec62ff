//go:build unix

package sink

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func shell(script string, args ...string) *command {
	return &command{argv: append([]string{"sh", "-c", script, "sh"}, args...), db: "/var/trail.db"}
}

func TestExecGetsTheMessage(t *testing.T) {
	t.Setenv("PROGMON_RUN", "of somebody else")
	t.Setenv("PROGMON_EPOCH", "77")
	file := filepath.Join(t.TempDir(), "got")
	m := sampleMessage()
	m.Epoch = 0
	answer, err := shell(`cat > "$1"; echo "$PROGMON_KIND $PROGMON_RUN $PROGMON_FAMILY $PROGMON_STATE $PROGMON_REASON $PROGMON_POSITION/$PROGMON_TOTAL $PROGMON_ID $PROGMON_DB ${PROGMON_EPOCH-none}"; echo fine >&2`, file).
		Send(context.Background(), m)
	if want := "stalled nightly export stalled quiet 7/20 progmon-aa-9 /var/trail.db none\uFFFDfine"; err != nil || answer != want {
		t.Errorf("Send() = %q, %v, want %q", answer, err, want)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got Message
	if err := json.Unmarshal(text, &got); err != nil || got.ID != m.ID || got.Text != m.Text {
		t.Errorf("stdin is %q, %v", text, err)
	}
}

func TestExecSaysHowItEnded(t *testing.T) {
	for _, c := range []struct {
		claim  string
		cmd    *command
		says   string
		unsure bool
	}{
		{"an exit code", shell(`echo no luck >&2; exit 3`), "exit status 3: no luck", false},
		{"no such program", &command{argv: []string{"/none/such"}}, "no such file", false},
		{"one that reads nothing", shell(`exec <&-; exit 1`), "exit status 1", false},
	} {
		_, err := c.cmd.Send(context.Background(), sampleMessage())
		f, _ := errors.AsType[*Failure](err)
		if err == nil || !strings.Contains(err.Error(), c.says) || (f != nil && f.Unsure) != c.unsure {
			t.Errorf("%s: Send() = %v", c.claim, err)
		}
	}
}

// TestExecIsKilledWithItsGroup: at the deadline nothing of it is left.
func TestExecIsKilledWithItsGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := shell(`sleep 600 & echo $! > "$1"; wait`, file).Send(ctx, sampleMessage())
	f, _ := errors.AsType[*Failure](err)
	if f == nil || !f.Unsure || time.Since(began) > 10*time.Second {
		t.Fatalf("Send() = %v after %v, want a failure at the deadline", err, time.Since(began))
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(10 * time.Second); ; {
		// A zombie that nobody reaps yet answers too, and is gone all the same.
		stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ") {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("process %d of the group lives on", pid)
		}
	}
}

// TestExecDoesNotWaitForGrandchildren: what it left in the background, with its
// output open, holds nothing up.
func TestExecDoesNotWaitForGrandchildren(t *testing.T) {
	began := time.Now()
	if _, err := shell(`sleep 5 & exit 0`).Send(context.Background(), sampleMessage()); err != nil || time.Since(began) > 4*time.Second {
		t.Errorf("Send() = %v after %v", err, time.Since(began))
	}
}
