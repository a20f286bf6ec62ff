//go:build unix

package store_test

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// roleFlock holds the lock beside a trail until it is ended, as a writer does
// that was stopped with the lock in hand.
func roleFlock(args []string) error {
	f, err := os.OpenFile(args[0]+"-lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	return untilStdinEnds()
}

// limitFileSize makes every file of this process end at so many bytes, as a
// full disk would.
func limitFileSize(bytes string) error {
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil || n == 0 {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n})
}
