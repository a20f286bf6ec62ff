//go:build unix

package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a file that was a regular one a moment ago
// from waiting for the other end of a FIFO.
const nonblock = syscall.O_NONBLOCK

// put writes a file whole, and its content durably: see the package comment.
// Its name is durable when the directory has been synced.
func put(dir *os.Root, name string, content []byte) (err error) {
	f, err := renameio.NewPendingFile(name, renameio.WithRoot(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Cleanup())
		}
	}()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// syncDir makes the names in a directory durable.
func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncPath is syncDir by name.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// settle gives a directory that was just made the mode that was asked for, of
// which the umask may have taken something, and closes it.
func settle(f *os.File) error { return errors.Join(f.Chmod(0o700), f.Close()) }

// ours refuses what another user owns or can write to.
func ours(info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Errorf("%w: its owner is not known", ErrNotOurs)
	case int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%w: it belongs to user %d and we are user %d", ErrNotOurs, stat.Uid, os.Geteuid())
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%w: anybody may write to it", ErrNotOurs)
	}
	return nil
}

// lock takes the lock that goes away with the file and the process.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
			return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		return err
	}
}

func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }
