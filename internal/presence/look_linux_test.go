package presence

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
)

// start starts a command that is ended with the test.
func start(t *testing.T, argv ...string) (*exec.Cmd, Identity) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	id, err := Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return cmd, id
}

func sleeper(t *testing.T) Identity {
	t.Helper()
	_, id := start(t, "sleep", "600")
	return id
}

// freeNumber is a number that a process had a moment ago.
func freeNumber(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func wantLook(t *testing.T, id Identity, want cursor.Presence) {
	t.Helper()
	if got := Look(id); got != want {
		t.Errorf("Look(%+v) = %s, want %s", id, got, want)
	}
}

func TestLifeOfAProcess(t *testing.T) {
	cmd, id := start(t, "sleep", "600")
	bare := Identity{PID: id.PID}
	wantLook(t, id, cursor.Alive)
	wantLook(t, bare, cursor.Alive)

	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var ws unix.WaitStatus
	if _, err := unix.Wait4(id.PID, &ws, unix.WUNTRACED, nil); err != nil || !ws.Stopped() {
		t.Fatalf("wait for the stop: %v, %v", ws, err)
	}
	wantLook(t, id, cursor.Stopped)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Wait4(id.PID, &ws, unix.WCONTINUED, nil); err != nil {
		t.Fatal(err)
	}
	wantLook(t, id, cursor.Alive)

	h, err := Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if over, err := h.Ended(); over || err != nil {
		t.Errorf("Ended of a process that lives = %v, %v", over, err)
	}
	if err := h.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Nobody has reaped it: a zombie, to which signal 0 still succeeds.
	if err := unix.Kill(id.PID, 0); err != nil {
		t.Fatalf("signal 0 to a zombie: %v", err)
	}
	wantLook(t, id, cursor.Gone)
	wantLook(t, bare, cursor.Gone)
	if err := h.Signal(syscall.SIGTERM); !errors.Is(err, ErrGone) {
		t.Errorf("Signal to a zombie = %v, want ErrGone", err)
	}
	if _, err := Open(id); !errors.Is(err, ErrGone) {
		t.Errorf("Open of a zombie = %v, want ErrGone", err)
	}

	_ = cmd.Wait()
	wantLook(t, id, cursor.Gone)
	wantLook(t, bare, cursor.Gone)
	if _, err := Of(id.PID); !errors.Is(err, ErrGone) {
		t.Errorf("Of(a number that is free) = %v, want ErrGone", err)
	}
	if err := h.Signal(syscall.SIGTERM); !errors.Is(err, ErrGone) {
		t.Errorf("Signal after the end = %v, want ErrGone", err)
	}
}

// A recycled number belongs to a stranger: it is neither alive nor to be
// signalled.
func TestRecycledNumberIsGone(t *testing.T) {
	id := sleeper(t)
	recycled := id
	recycled.Start--
	wantLook(t, recycled, cursor.Gone)
	if _, err := Open(recycled); !errors.Is(err, ErrGone) {
		t.Errorf("Open(a recycled number) = %v, want ErrGone", err)
	}
	if got := Pin(recycled); !got.Same(recycled) {
		t.Errorf("Pin(%+v) = %+v, want it as it was", recycled, got)
	}
	wantLook(t, id, cursor.Alive)
}

func TestAnotherBootOrMachine(t *testing.T) {
	id := sleeper(t)
	boot, machine := id, id
	boot.Machine, boot.Boot = here().machine, "00000000-0000-4000-8000-000000000000"
	want := cursor.Gone
	if boot.Machine == "" {
		want = cursor.Unknown // without a machine id this may be any machine
	}
	wantLook(t, boot, want)
	machine.Machine, machine.Boot = strings.Repeat("0", 31)+"1", boot.Boot
	wantLook(t, machine, cursor.Unknown)
	// One kernel has one boot id: a container may call the machine otherwise.
	machine.Boot = id.Boot
	wantLook(t, machine, cursor.Alive)
}

// A process may call itself anything, such as what stands after a name.
func TestNameThatLooksLikeTheRestOfTheLine(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a) R 1 (b", "a) Z 1 2", ")", "x\ny) Z 1"} {
		// The kernel takes a process's name from the file it runs.
		file := filepath.Join(t.TempDir(), name)
		copyFile(t, sleep, file)
		_, id := start(t, file, "600")
		text, err := os.ReadFile(filepath.Join("/proc", itoa(id.PID), "stat"))
		if err != nil || !strings.Contains(string(text), "("+name+")") {
			t.Fatalf("the process is not called %q: %q, %v", name, text, err)
		}
		wantLook(t, id, cursor.Alive)
		if _, err := parseStat([]byte(strings.Replace(string(text), "("+name+")", "(sleep)", 1))); err != nil {
			t.Error(err)
		}
	}
}

// A thread has a number and an entry in /proc, and is no process.
func TestThreadIsNoProcess(t *testing.T) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		if task.Name() == itoa(os.Getpid()) {
			continue
		}
		wantLook(t, Identity{PID: atoi(t, task.Name())}, cursor.Gone)
		return
	}
	t.Fatal("this test has only one thread")
}

func TestWaitGivesUpWithItsContext(t *testing.T) {
	h, err := Open(sleeper(t))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := h.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait = %v, want the end of its context", err)
	}
	if err := h.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(t.Context()); err != nil {
		t.Errorf("Wait after one that gave up = %v", err)
	}
}

// Where there is no pidfd, waiting is looking, and nothing is signalled.
func TestHandleWithoutPidfd(t *testing.T) {
	cmd, id := start(t, "sleep", "600")
	h := &Handle{id: id}
	if err := h.Signal(syscall.SIGKILL); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Signal without a pidfd = %v, want ErrUnsupported", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := h.Wait(t.Context()); err != nil {
		t.Errorf("Wait without a pidfd = %v", err)
	}
	if err := h.Signal(syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("Signal to what is gone = %v, want ErrGone", err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// A bare number is believed, unless its process began after it was noted.
func TestBareNumber(t *testing.T) {
	id := sleeper(t)
	bare := Identity{PID: id.PID}
	began, ok := Started(id)
	if age := time.Since(began); !ok || age < 0 || age > time.Minute {
		t.Fatalf("Started(a process just made) = %v ago, %v", age, ok)
	}
	for _, row := range []struct {
		claim string
		noted time.Time
		want  cursor.Presence
	}{
		{"noted by nobody", time.Time{}, cursor.Alive},
		{"noted as it began", began, cursor.Alive},
		{"noted a little before: clocks are slewed", began.Add(-noteSlack / 2), cursor.Alive},
		{"noted in the future: the clock was set back", began.Add(1000 * time.Hour), cursor.Alive},
		{"noted an hour before it began", began.Add(-time.Hour), cursor.Gone},
	} {
		bare.Noted = row.noted
		if got := Look(bare); got != row.want {
			t.Errorf("%s: Look = %s, want %s", row.claim, got, row.want)
		}
		pinned := Pin(bare)
		if want := row.want == cursor.Alive; pinned.Same(id) != want {
			t.Errorf("%s: Pin = %+v, want the whole identity: %v", row.claim, pinned, want)
		}
	}
}

func TestSelf(t *testing.T) {
	id, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if id.PID != os.Getpid() || id.Bare() || id.Boot == "" || id.Namespace == "" {
		t.Errorf("Self() = %+v, want every part of it", id)
	}
	wantLook(t, id, cursor.Alive)
}
