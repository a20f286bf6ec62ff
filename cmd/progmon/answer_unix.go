//go:build unix

package main

import (
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
