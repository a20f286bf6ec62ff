//go:build unix

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock if it is free. known is false where the file system
// has no locks.
func tryLock(f *os.File) (free, known bool) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, true
		case unix.EWOULDBLOCK:
			return false, true
		case unix.EINTR:
		default:
			return false, false
		}
	}
}

// waitLock blocks until the lock is ours.
func waitLock(f *os.File) {
	for unix.Flock(int(f.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
}

func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
