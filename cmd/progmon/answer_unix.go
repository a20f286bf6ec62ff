//go:build unix

package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// listened finds out, without writing, whether the reader of stdout is gone: a
// command that waits for news would else outlive the grep -m1 behind it until
// there are some.
func (a *answer) listened() {
	f := a.file()
	if f == nil {
		return
	}
	fds := []unix.PollFd{{Fd: int32(f.Fd())}}
	if n, err := unix.Poll(fds, 0); err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.keep(syscall.EPIPE)
	}
}

// unheard says that stdout was closed when the program began, as by >&-. The
// Go runtime then puts /dev/null in its place, open for reading too, and
// writes to it succeed. Some programs hand that to a child whose answer they
// do not want, so this is for answers that nobody can do without.
func (a *answer) unheard() bool {
	f := a.file()
	if f == nil {
		return false
	}
	got, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(got, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
