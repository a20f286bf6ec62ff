package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

const nobody = 65534

// as runs the program as another user, where one can; attr may be nil.
func (y *yard) as(uid uint32, attr *syscall.SysProcAttr, args ...string) (out string, code int) {
	y.t.Helper()
	var both bytes.Buffer
	cmd := y.command(args...)
	cmd.Stdout, cmd.Stderr = &both, &both
	if cmd.SysProcAttr = attr; attr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		y.t.Fatal(err)
	}
	return both.String(), cmd.ProcessState.ExitCode()
}

// shared opens a yard to everybody for looking, and puts the program into it.
func (y *yard) shared(mode, files os.FileMode) {
	y.t.Helper()
	err := filepath.WalkDir(y.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(name, mode)
		}
		if name == y.program {
			return os.Chmod(name, 0o755)
		}
		return os.Chmod(name, files)
	})
	if err := errors.Join(err, os.Chmod(filepath.Dir(y.dir), 0o755)); err != nil {
		y.t.Fatal(err)
	}
}

// content is every file under a directory with what it holds and when it was
// written.
func content(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&all, name, info.Mode(), info.ModTime().UnixNano())
		if d.Type().IsRegular() {
			text, err := os.ReadFile(name)
			fmt.Fprintf(&all, "%x\n", text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Field cases 71 and 73: a live worker of another user lives, whether it may be
// signalled, read of, seen in the process table, or none of that; whoever looks
// leaves it and its directory alone.
func TestAnotherUsersRun(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can be two users
	}
	y := newYard(t)
	y.program = filepath.Join(y.dir, "progmon")
	if err := os.Rename(shipped(t), y.program); err != nil {
		t.Fatal(err)
	}
	y.start("run", "--id=r", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c",
		`"$0" step done 1; echo up >up.r.$PROGMON_EPOCH; exec sleep 600`, y.program)
	p := y.pid("r", 1)
	y.shared(0o755, 0o644)
	look := func(what, presence string, attr *syscall.SysProcAttr) {
		t.Helper()
		out, code := y.as(nobody, attr, "status", "--json", "r")
		if code != 0 || !strings.Contains(out, `"state":"advancing"`) || !strings.Contains(out, `"presence":"`+presence+`"`) {
			t.Errorf("%s: status = %d, %s", what, code, out)
		}
	}
	look("not to be signalled", "alive", nil)
	if err := syscall.Kill(p.Wrapper.PID, syscall.SIGSTOP); err != nil { // or it beats
		t.Fatal(err)
	}
	before := content(t, y.root)
	if out, code := y.as(nobody, nil, "stop", "r"); code != exitFenced || !strings.Contains(out, "belongs to user 0") {
		t.Errorf("stop by nobody = %d, %s", code, out)
	}
	if out, code := y.as(nobody, nil, "capture", "r"); code != exitFenced {
		t.Errorf("capture by nobody = %d, %s", code, out)
	}
	if after := content(t, y.root); after != before {
		t.Errorf("nobody wrote into a directory of root's")
	}
	y.hidden(func(attr *syscall.SysProcAttr) { look("hidden", "unknown", attr) })
	if err := os.Chmod(filepath.Join(y.root, "r"), 0o700); err != nil {
		t.Fatal(err)
	}
	look("in a closed directory", "unknown", nil)
	if got := presence.Look(p.Identity); got != cursor.Alive {
		t.Errorf("the worker is %s after all that", got)
	}
}

// hidden calls do with what puts a process under a /proc that hides those of
// others, as far as this machine lets us.
func (y *yard) hidden(do func(*syscall.SysProcAttr)) {
	y.t.Helper()
	done := make(chan error)
	go func() {
		// The namespace is this thread's, which ends with the goroutine.
		runtime.LockOSThread()
		err := unix.Unshare(unix.CLONE_NEWNS | unix.CLONE_FS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			err = unix.Mount("proc", "/proc", "proc", 0, "hidepid=2")
		}
		if err == nil {
			do(nil)
		}
		done <- err
	}()
	if err := <-done; err != nil {
		y.t.Logf("this machine does not let us hide processes: %v", err)
	}
}

// A monitor continues nobody else's run: it says why, and writes nothing into
// the directory.
func TestAnotherUsersRunIsNotContinued(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	y := newYard(t)
	y.start("run", "--id=r", "--total=3", "--respawn=2", "--quiet", "--", "sh", "-c", "echo up >up.r.1; exec sleep 600")
	y.kill(y.pid("r", 1))
	if err := os.Chown(filepath.Join(y.root, "r"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	before := content(t, y.root)
	said, err := y.command("watch", "--respawn", "--interval", "100ms", "--for", "1s").CombinedOutput()
	if got := y.kinds("r"); err != nil || got != "run.started failed" || !strings.Contains(string(said), "belongs to user 65534") {
		t.Errorf("watch: %v, %s; the log says %q", err, said, got)
	}
	if after := content(t, y.root); after != before {
		t.Error("a directory of another user was written to")
	}
}
