package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tinyDisk is a run directory on a disk of its own, or nil where this user may
// not mount one.
func tinyDisk(t *testing.T, options string) *Dir {
	t.Helper()
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		if os.Geteuid() == 0 {
			t.Logf("this machine does not let root mount: %v", err)
		}
		return nil
	}
	t.Cleanup(func() { must(t, unix.Unmount(disk, unix.MNT_DETACH)) })
	d, err := Create(disk, "r1")
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// fill leaves no byte free.
func fill(t *testing.T, d *Dir) {
	t.Helper()
	f, err := os.Create(filepath.Join(filepath.Dir(d.Path()), "filler"))
	must(t, err)
	block := make([]byte, 1<<10)
	for {
		if _, err := f.Write(block); err != nil {
			if !errors.Is(err, unix.ENOSPC) {
				t.Fatal(err)
			}
			break
		}
	}
	must(t, f.Close())
}

// noLeavings fails when a file has no content, or is half of one.
func noLeavings(t *testing.T, d *Dir) {
	t.Helper()
	entries, err := os.ReadDir(d.Path())
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		if info.Size() == 0 || e.Name()[0] == '.' {
			t.Errorf("%s of %d bytes is left behind", e.Name(), info.Size())
		}
	}
}

// A disk that is full from the start keeps no worker.pid: say so, so that the
// command is not started.
func TestDiskFullFromTheStart(t *testing.T) {
	d := tinyDisk(t, "size=128k")
	if d == nil {
		return
	}
	fill(t, d)
	for name, err := range map[string]error{
		PIDFile:     d.WritePID(PID{Identity: self(t), Epoch: 1}),
		CommandFile: d.WriteCommand(Command{Argv: []string{"true"}}),
		reserveFile: d.Reserve(),
		ExitFile:    d.WriteExit(Exit{Epoch: 1}),
		TaskFile:    d.WriteTask([]byte("x")),
		PingFile:    d.Ping(Nudge{}),
	} {
		if !errors.Is(err, ErrNoSpace) {
			t.Errorf("%s on a full disk: %v, want ErrNoSpace", name, err)
		}
		if _, err := os.Lstat(d.File(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s on a full disk is there: %v", name, err)
		}
	}
	noLeavings(t, d)
}

// A disk that fills up while the command runs has room for its last word, and
// the heartbeat goes on.
func TestLastWordOnAFullDisk(t *testing.T) {
	d := tinyDisk(t, "size=128k")
	if d == nil {
		return
	}
	must(t, d.WriteExit(Exit{Epoch: 1, Code: 11}))
	must(t, d.Begin(2))
	must(t, d.Reserve())
	must(t, d.WritePID(PID{Identity: self(t), Epoch: 2}))
	must(t, d.Beat(time.Now()))
	fill(t, d)
	must(t, d.Beat(time.Now()))
	must(t, d.WriteExit(Exit{Epoch: 2, Signal: 9, AskedBy: "supervisor"}))
	if e, err := d.ReadExit(); err != nil || e.Signal != 9 || e.Epoch != 2 {
		t.Errorf("ReadExit = %+v, %v", e, err)
	}
	wantExit(t, d, 1, 11)
	wantExit(t, d, 2, 0)
	noLeavings(t, d)
	if _, err := os.Lstat(d.File(reserveFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reserve is still there: %v", err)
	}
}

// A disk may be out of files before it is out of bytes.
func TestLastWordWithoutInodes(t *testing.T) {
	d := tinyDisk(t, "size=1m,nr_inodes=20")
	if d == nil {
		return
	}
	must(t, d.Reserve())
	must(t, d.WritePID(PID{Identity: self(t), Epoch: 1}))
	for i := 0; ; i++ {
		err := os.Mkdir(filepath.Join(filepath.Dir(d.Path()), strconv.Itoa(i)), 0o700)
		if errors.Is(err, unix.ENOSPC) {
			break
		}
		must(t, err)
	}
	if err := d.WriteExit(Exit{Epoch: 1, Code: 3}); err != nil && !errors.Is(err, ErrNotKept) {
		t.Errorf("WriteExit without inodes = %v", err)
	}
	wantExit(t, d, 1, 3)
	noLeavings(t, d)
}
