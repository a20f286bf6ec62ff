//go:build unix

package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// newDir makes a directory for a run r1 and closes it with the test.
func newDir(t testing.TB) *Dir {
	t.Helper()
	d, err := Create(filepath.Join(t.TempDir(), "root"), "r1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Everything in a run directory is its owner's alone, whatever the umask.
func TestModes(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o177} {
		root := filepath.Join(t.TempDir(), "root")
		must(t, os.MkdirAll(root, 0o700))
		old := syscall.Umask(umask)
		defer syscall.Umask(old)
		d, err := Create(root, "r1")
		must(t, err)
		must(t, d.WriteCommand(Command{Argv: []string{"true"}}))
		must(t, d.WritePID(PID{Identity: self(t)}))
		must(t, d.WriteTask([]byte("do it")))
		must(t, d.Beat(time.Now()))
		must(t, d.Ping(Nudge{}))
		must(t, d.Wrapup(Nudge{}))
		must(t, d.RequestStop(Stop{}))
		must(t, d.Reserve())
		log, err := d.OpenLog()
		must(t, err)
		must(t, log.Close())
		c, err := d.NewCapture()
		must(t, err)
		must(t, c.Write("verdict.json", []byte("{}")))
		must(t, c.Close())
		must(t, d.WriteExit(Exit{Epoch: 1}))
		syscall.Umask(old)
		err = filepath.WalkDir(d.Path(), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			want := fs.FileMode(0o600)
			if e.IsDir() {
				want = 0o700
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %03o: %s has mode %o, want %o", umask, path, got, want)
			}
			return nil
		})
		must(t, err)
		must(t, d.Close())
	}
}

// A file that says something is kept only when its directory is found again;
// what need not outlast the machine asks nothing of the disk.
func TestADirectoryIsDurableWithItsFirstFile(t *testing.T) {
	d := newDir(t)
	synced, failing := 0, error(nil)
	d.entered = func() error { synced++; return failing }
	must(t, d.Reserve())
	must(t, d.Beat(time.Now()))
	log, err := d.OpenLog()
	must(t, err)
	must(t, log.Close())
	must(t, d.Release())
	if synced != 0 {
		t.Errorf("the reserve, the heartbeat and the log synced %d times", synced)
	}
	must(t, d.WritePID(PID{Identity: self(t), Epoch: 1}))
	if synced != 1 {
		t.Errorf("worker.pid made its directory durable %d times, want once", synced)
	}
	failing = syscall.EIO
	for name, err := range map[string]error{
		PIDFile:  d.WritePID(PID{Identity: self(t), Epoch: 1}),
		ExitFile: d.WriteExit(Exit{Epoch: 1}),
	} {
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("%s in a directory that may be gone: %v, want EIO", name, err)
		}
	}
}

func TestCreateTwice(t *testing.T) {
	d := newDir(t)
	if _, err := Create(filepath.Dir(d.Path()), "r1"); !errors.Is(err, ErrExists) {
		t.Errorf("Create again = %v, want ErrExists", err)
	}
	again, err := Open(filepath.Dir(d.Path()), "r1")
	must(t, err)
	must(t, again.Close())
}

// What is under the name of a run may be a trap.
func TestDirectoriesThatAreNotOurs(t *testing.T) {
	root := t.TempDir()
	elsewhere := t.TempDir()
	must(t, os.Symlink(elsewhere, filepath.Join(root, "link")))
	must(t, os.Symlink("gone", filepath.Join(root, "dangling")))
	write(t, filepath.Join(root, "file"), "")
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	must(t, os.Mkdir(filepath.Join(root, "open"), 0o700))
	must(t, os.Chmod(filepath.Join(root, "open"), 0o777))
	ids := []string{"link", "dangling", "file", "fifo", "open"}
	if os.Geteuid() == 0 {
		must(t, os.Mkdir(filepath.Join(root, "foreign"), 0o755))
		must(t, os.Chown(filepath.Join(root, "foreign"), 65534, 65534))
		ids = append(ids, "foreign")
		// It may be looked at, though.
		r, err := OpenReader(root, "foreign")
		must(t, err)
		must(t, r.Close())
	}
	for _, id := range ids {
		if _, err := Open(root, id); !errors.Is(err, ErrNotOurs) {
			t.Errorf("Open(%s) = %v, want ErrNotOurs", id, err)
		}
		if _, err := Create(root, id); !errors.Is(err, ErrExists) {
			t.Errorf("Create(%s) = %v, want ErrExists", id, err)
		}
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("%v, %v was made at the end of a link", left, err)
	}
	if _, err := Open(root, "none"); !errors.Is(err, ErrAbsent) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open(none) = %v, want ErrAbsent", err)
	}
	if _, err := Create(filepath.Join(root, "file"), "r1"); !errors.Is(err, ErrCannotCreate) {
		t.Errorf("Create under a file = %v, want ErrCannotCreate", err)
	}
}

// A directory that is replaced while it is open is not followed.
func TestDirectoryReplacedWhileOpen(t *testing.T) {
	d := newDir(t)
	moved := d.Path() + ".moved"
	must(t, os.Rename(d.Path(), moved))
	must(t, os.Mkdir(d.Path(), 0o700))
	must(t, d.WriteExit(Exit{Epoch: 1, Code: 3}))
	if left, err := os.ReadDir(d.Path()); err != nil || len(left) > 0 {
		t.Errorf("%v, %v was written into the new directory", left, err)
	}
	if _, err := os.Stat(filepath.Join(moved, ExitFile)); err != nil {
		t.Error(err)
	}
}

// hostile puts what is no record under a name.
var hostile = map[string]func(t testing.TB, path string){
	"a FIFO":        func(t testing.TB, path string) { must(t, syscall.Mkfifo(path, 0o600)) },
	"a directory":   func(t testing.TB, path string) { must(t, os.Mkdir(path, 0o700)) },
	"a link":        func(t testing.TB, path string) { must(t, os.Symlink("/dev/zero", path)) },
	"a link inside": func(t testing.TB, path string) { must(t, os.Symlink(CommandFile, path)) },
	"a socket": func(t testing.TB, path string) {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		must(t, err)
		must(t, errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Close(fd)))
	},
	"10 MB of digits": func(t testing.TB, path string) {
		f, err := os.Create(path)
		must(t, err)
		block := make([]byte, 1<<20)
		for i := range block {
			block[i] = '0'
		}
		for range 10 {
			_, err := f.Write(block)
			must(t, err)
		}
		must(t, f.Close())
	},
}

// No file can keep a reader waiting, or feed it without end.
func TestHostileFiles(t *testing.T) {
	for what, put := range hostile {
		d := newDir(t)
		write(t, d.File(CommandFile), "0")
		for name, read := range map[string]func() error{
			ExitFile:      func() error { _, err := d.ReadExit(); return err },
			PIDFile:       func() error { _, err := d.ReadPID(); return err },
			PingFile:      func() error { _, err := d.ReadPing(); return err },
			WrapupFile:    func() error { _, err := d.ReadWrapup(); return err },
			StopFile:      func() error { _, err := d.ReadStop(); return err },
			HeartbeatFile: func() error { return d.Beat(time.Now()) },
			LogFile: func() error {
				f, err := d.OpenLog()
				if err == nil {
					must(t, f.Close())
				}
				return err
			},
		} {
			put(t, d.File(name))
			err := read()
			_, malformed := errors.AsType[*MalformedError](err)
			if big := what == "10 MB of digits" && (name == HeartbeatFile || name == LogFile); big != (err == nil) {
				t.Errorf("%s is %s: %v", name, what, err)
			} else if !big && !malformed && !errors.Is(err, ErrNotOurs) {
				t.Errorf("%s is %s: %v, want malformed", name, what, err)
			}
		}
	}
}
