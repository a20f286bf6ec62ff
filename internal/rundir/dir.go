package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// The files of a run directory.
const (
	TaskFile      = "task.md"
	CommandFile   = "worker.cmd"
	LogFile       = "worker.log"
	PIDFile       = "worker.pid"
	HeartbeatFile = "worker.heartbeat"
	PingFile      = "worker.ping"
	WrapupFile    = "worker.wrapup"
	StopFile      = "worker.stop"
	ExitFile      = "worker.exit" // and ExitFile.N for epoch N
	reserveFile   = "worker.reserve"
	capturePrefix = "evidence-"
)

// Reader is a run directory that is looked at. It holds on to the directory
// itself: when another one is put under its name, it goes on reading this one.
type Reader struct {
	id   string
	path string
	dir  *os.Root
}

// Dir is a run directory of this user's, to write to. Reading works on it too.
type Dir struct {
	Reader
	// entered makes the name of a directory that was just made durable, once;
	// nil for one that was found.
	entered func() error
	held    *os.File // with the lock on it, nil when there is none
}

// Create makes ROOT/ID, and ROOT where that is missing. It returns ErrID or
// ErrCannotCreate before it has made anything, ErrExists when the run has a
// directory, and ErrNoSpace. The directory is durable with its first file.
func Create(root, id string) (*Dir, error) {
	if err := ValidID(id); err != nil {
		return nil, err
	}
	if err := fits(root, id); err != nil {
		return nil, err
	}
	path := filepath.Join(root, id)
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, classify("create", root, err)
	}
	switch err := os.Mkdir(path, 0o700); {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("create %s: %w", path, ErrExists)
	case err != nil:
		return nil, classify("create", path, err)
	}
	made, err := os.Open(path)
	if err == nil {
		err = settle(made)
	}
	if err != nil {
		return nil, classify("create", path, err)
	}
	d, err := Open(root, id)
	if err == nil {
		d.entered = sync.OnceValue(func() error { return syncPath(root) })
	}
	return d, err
}

// sync makes the names in the directory durable, and its own.
func (d *Dir) sync() error {
	err := syncDir(d.dir)
	if d.entered != nil {
		err = errors.Join(err, d.entered())
	}
	return err
}

// Open opens the directory of a run for writing. It returns ErrID, ErrAbsent
// (with fs.ErrNotExist) when it is not there, and ErrNotOurs when it is a
// symbolic link, not a directory, another user's, or open for others to write.
func Open(root, id string) (*Dir, error) {
	r, err := OpenReader(root, id)
	if err != nil {
		return nil, err
	}
	info, err := r.dir.Stat(".")
	if err == nil {
		err = ours(info)
	}
	if err != nil {
		return nil, errors.Join(classify("open", r.path, err), r.Close())
	}
	return &Dir{Reader: *r}, nil
}

// OpenReader opens the directory of a run for looking, whoever owns it. It
// returns ErrID, ErrAbsent or ErrNotOurs like Open, or why it cannot be read;
// BlindnessOf puts that into the words of a verdict.
func OpenReader(root, id string) (*Reader, error) {
	if err := ValidID(id); err != nil {
		return nil, err
	}
	path := filepath.Join(root, id)
	before, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open %s: %w: %w", path, ErrAbsent, err)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w", path, err)
	case !before.IsDir():
		return nil, fmt.Errorf("open %s: %w: %s", path, ErrNotOurs, kindOf(before.Mode()))
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	after, err := dir.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = fmt.Errorf("%w: it was replaced", ErrNotOurs)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), dir.Close())
	}
	return &Reader{id: id, path: path, dir: dir}, nil
}

// ID is the id of the run.
func (r *Reader) ID() string { return r.id }

// Path is where the directory was when it was opened.
func (r *Reader) Path() string { return r.path }

// File is the path of a file in the directory, for people and for children.
func (r *Reader) File(name string) string { return filepath.Join(r.path, name) }

// Close lets go of the directory.
func (r *Reader) Close() error { return r.dir.Close() }

// remove takes a file away, durably; one that is not there is fine.
func (d *Dir) remove(names ...string) error {
	for _, name := range names {
		if err := d.dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return classify("remove", d.File(name), err)
		}
	}
	return classify("sync", d.path, d.sync())
}

// kindOf names what is no regular file.
func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "it is a file"
	case m.IsDir():
		return "it is a directory"
	case m&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "it is a FIFO"
	case m&fs.ModeSocket != 0:
		return "it is a socket"
	case m&fs.ModeDevice != 0:
		return "it is a device"
	}
	return "it is not a regular file"
}
