package rundir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/policy"
)

// plain runs a command under the wrapper in plain shell, in a process group of
// its own that is ended with the test.
func plain(t *testing.T, root, id string, argv ...string) *exec.Cmd {
	t.Helper()
	script, err := filepath.Abs("../../testdata/workers/plainwrap.sh")
	must(t, err)
	cmd := exec.Command(script, append([]string{filepath.Join(root, id)}, argv...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		_ = cmd.Wait()
	})
	return cmd
}

// appear waits until a file has content.
func appear(t *testing.T, path string) {
	t.Helper()
	for again := time.NewTicker(time.Millisecond); ; <-again.C {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			again.Stop()
			return
		}
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
	}
}

// TestPlainDirectories: what a wrapper in plain shell leaves is read as a
// careful person would read it by hand.
func TestPlainDirectories(t *testing.T) {
	root := t.TempDir()
	file := func(id, name string) string { return filepath.Join(root, id, name) }
	made := func(id string) string {
		must(t, os.MkdirAll(filepath.Join(root, id), 0o700))
		return filepath.Join(root, id)
	}
	for id, code := range map[string]string{"done": "exit 0", "three": "exit 3", "top": "exit 255"} {
		_ = plain(t, root, id, "sh", "-c", code).Wait()
	}
	// The command is killed, and its wrapper says so as a shell does.
	_ = plain(t, root, "killed", "sh", "-c", "kill -9 $$").Wait()
	// Command and wrapper are killed.
	both := plain(t, root, "vanished", "sh", "-c", "echo begun; sleep 600")
	appear(t, file("vanished", LogFile))
	must(t, unix.Kill(-both.Process.Pid, unix.SIGKILL))
	_ = both.Wait()
	// The wrapper is over, and its parent has not noticed.
	zombie := plain(t, root, "zombie", "sh", "-c", "kill -9 $PPID")
	appear(t, file("zombie", PIDFile))
	var info unix.Siginfo
	must(t, unix.Waitid(unix.P_PID, zombie.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil))
	// Three that live.
	plain(t, root, "busy", "sh", "-c", "echo begun; sleep 600")
	appear(t, file("busy", LogFile))
	plain(t, root, "idle", "sh", "-c", "echo begun; sleep 600")
	appear(t, file("idle", LogFile))
	plain(t, root, "mute", "sleep", "600")
	appear(t, file("mute", PIDFile))
	// And what nobody should have made.
	made("nothing")
	write(t, filepath.Join(made("huge"), ExitFile), "256\n")
	write(t, filepath.Join(made("words"), ExitFile), "all fine\n")
	write(t, filepath.Join(made("nul"), ExitFile), "0\x00\n")
	must(t, os.Mkdir(filepath.Join(made("dir"), ExitFile), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(made("fifo"), ExitFile), 0o600))
	must(t, os.Symlink("/dev/zero", filepath.Join(made("link"), ExitFile)))
	write(t, filepath.Join(made("empty"), ExitFile), "")
	write(t, file("empty", PIDFile), strconv.Itoa(both.Process.Pid)+"\n")

	// An hour ago everything was as it is, but for the log of busy.
	old := time.Now().Add(-time.Hour)
	must(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || filepath.Base(filepath.Dir(path)) == "busy" || info.Mode()&os.ModeSymlink != 0 {
			return err
		}
		// The wrappers that live began a moment ago, so their numbers are noted
		// no earlier.
		if lives := strings.Contains("busy idle mute zombie", filepath.Base(filepath.Dir(path))); lives && info.Name() == PIDFile {
			return nil
		}
		return os.Chtimes(path, old, old)
	}))

	want := map[string]string{ // by hand, and by the judge
		"done": "DONE|done", "three": "FAILED 3|failed: exit 3", "top": "FAILED 255|failed: exit 255",
		"killed": "FAILED 137|failed: exit 137", "vanished": "FAILED vanished|failed: vanished",
		"zombie": "FAILED vanished|failed: vanished", "busy": "RUNNING|advancing", "mute": "RUNNING no log yet|starting",
		"idle": "STALLED idle|stalled: quiet", "nothing": "FAILED no-evidence|failed: no-evidence",
		"huge": "FAILED malformed|failed: malformed", "words": "FAILED malformed|failed: malformed",
		"nul": "FAILED malformed|failed: malformed", "dir": "FAILED malformed|failed: malformed",
		"fifo": "FAILED malformed|failed: malformed", "link": "FAILED malformed|failed: malformed",
		"empty": "FAILED malformed|failed: malformed",
	}
	byHand := watchByHand(t, root, want)
	for _, entry := range List([]string{root}) {
		id := entry.Run
		hand, judged, _ := strings.Cut(want[id], "|")
		if byHand[id] != hand {
			t.Errorf("%s by hand: %q, want %q", id, byHand[id], hand)
		}
		r, err := OpenReader(root, id)
		must(t, err)
		at := cursor.Instant{Wall: time.Now(), Mono: 1000 * time.Hour, Boot: "b"}
		look := Look{Clock: cursor.NewClock(cursor.ClockState{}, at, 0), Grace: policy.Default().VanishGrace, Once: true, Prober: presence.System}
		var m Memory
		e := r.Evidence(0, look, &m)
		if e.Pending(look) {
			at.Mono += look.Grace
			look.Clock = cursor.NewClock(cursor.ClockState{}, at, 0)
			e = r.Evidence(0, look, &m)
		}
		must(t, r.Close())
		reading := cursor.Reading{Run: id}
		e.FillActivity(&reading)
		now := look.Clock.Now()
		if id == "idle" {
			// A log is no older than its process, which began a moment ago.
			now = now.Add(policy.Default().StallAfter)
		}
		if got := policy.Default().Judge(reading, now).Says(); got != judged {
			t.Errorf("%s: %s, want %s: %+v", id, got, judged, e)
		}
	}
}

// watchByHand runs the script that looks as a person would.
func watchByHand(t *testing.T, root string, runs map[string]string) map[string]string {
	t.Helper()
	script, err := filepath.Abs("../../testdata/workers/plainwatch.sh")
	must(t, err)
	argv := []string{"900"}
	for id := range runs {
		argv = append(argv, filepath.Join(root, id))
	}
	cmd := exec.Command(script, argv...)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v: %s", err, exit.Stderr)
	}
	must(t, err)
	answers := map[string]string{}
	for line := range strings.Lines(string(out)) {
		id, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
		answers[id] = answer
	}
	return answers
}
