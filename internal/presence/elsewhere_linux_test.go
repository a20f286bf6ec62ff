package presence

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
)

const nobody = 65534

// hideProcesses, when asked to, puts a /proc over the old one that hides the
// processes of others, and goes on as nobody.
func hideProcesses() error {
	if os.Getenv("PRESENCE_HIDE") == "" {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, os.Getenv("PRESENCE_HIDE")); err != nil {
		return err
	}
	if err := syscall.Setgid(nobody); err != nil {
		return err
	}
	return syscall.Setuid(nobody)
}

// elsewhere runs this binary as another process and returns what that sees.
func elsewhere(t *testing.T, id Identity, attr *syscall.SysProcAttr, env ...string) (answer, error) {
	t.Helper()
	text, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(readableByAll(t))
	cmd.Env = append(os.Environ(), append(env, "PRESENCE_LOOK="+string(text), "GORACE=atexit_sleep_ms=0")...)
	cmd.SysProcAttr = attr
	out, err := cmd.Output()
	if err != nil {
		return answer{}, err
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	return a, nil
}

// readableByAll is a copy of this binary that any user may run.
func readableByAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, "presence.test")
	copyFile(t, "/proc/self/exe", name)
	return name
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// A process of another user is seen by its entry in the process table: that it
// may not be signalled is no sign of its end.
func TestAnotherUsersProcessIsAlive(t *testing.T) {
	if os.Geteuid() != 0 {
		root := Identity{PID: 1}
		if got := Look(root); got != cursor.Alive {
			t.Errorf("Look(%v) = %s, want alive", root, got)
		}
		return
	}
	id := sleeper(t)
	a, err := elsewhere(t, id, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}})
	if err != nil {
		t.Fatal(err)
	}
	if a.Seen != "alive" || a.Number != "alive" || !a.Of.Same(id) {
		t.Errorf("nobody sees a process of root as %+v, want it alive and the same", a)
	}
	if !strings.Contains(a.Signal, "not permitted") {
		t.Errorf("nobody signals a process of root: %s, want not permitted", a.Signal)
	}
}

// The process table may hide other users' processes, as if they were not
// there (hidepid=2) or without letting them be read (hidepid=1).
func TestHiddenProcessIsUnknown(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can mount; TestLook has the same with a planted kernel
	}
	id := sleeper(t)
	ended := id
	ended.PID, ended.Start = freeNumber(t), 5
	for _, option := range []string{"hidepid=1", "hidepid=2"} {
		t.Run(option, func(t *testing.T) {
			attr := &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			a, err := elsewhere(t, id, attr, "PRESENCE_HIDE="+option)
			if err != nil {
				t.Logf("this machine does not let us hide processes: %v", err)
				return
			}
			if a.Seen != "unknown" || a.Number != "unknown" || !strings.Contains(a.Err, ErrUnknown.Error()) {
				t.Errorf("a hidden process that lives is seen as %+v, want unknown", a)
			}
			if a, err = elsewhere(t, ended, attr, "PRESENCE_HIDE="+option); err != nil || a.Seen != "gone" {
				t.Errorf("a number that nobody has is seen as %+v, %v, want gone", a, err)
			}
		})
	}
}

// From another pid namespace the number would be somebody else's.
func TestAnotherNamespaceIsUnknown(t *testing.T) {
	id := sleeper(t)
	edited := id
	edited.Namespace = "pid:[1]"
	if got := Look(edited); got != cursor.Unknown {
		t.Errorf("Look(a process of namespace 1) = %s, want unknown", got)
	}
	a, err := elsewhere(t, id, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID})
	if err != nil {
		t.Logf("this machine does not let us make a pid namespace: %v", err)
		return
	}
	if a.Seen != "unknown" {
		t.Errorf("from inside a pid namespace a process outside is %s, want unknown", a.Seen)
	}
	// It has no /proc of its own: the number 1 in there is itself, and /proc/1
	// is the first process of the machine.
	if a.Self.PID != 1 || a.Self.Namespace == id.Namespace || !a.Self.Bare() {
		t.Errorf("Self() in a new pid namespace under an old /proc = %+v, want a bare 1 of another namespace", a.Self)
	}
	if a.Number != "gone" {
		t.Errorf("a number outside, looked up inside, is %s, want gone: nobody has it there", a.Number)
	}
	if got := Look(a.Self); got != cursor.Unknown {
		t.Errorf("Look(process 1 of another namespace) = %s, want unknown", got)
	}
}
