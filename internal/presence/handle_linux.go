package presence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openProcess is nil, nil in a kernel (or a sandbox) without pidfd_open.
func openProcess(pid int) (*os.File, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT):
		return nil, ErrGone // the last two say that a thread of another process has the number
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		return nil, nil
	case err != nil:
		return nil, err
	}
	// The runtime polls files that do not block.
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), fmt.Sprintf("pidfd of %d", pid)), nil
}

// ended asks a pidfd, which can be read from when its process is over.
func ended(f *os.File) (bool, error) {
	var over bool
	var polled error
	conn, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	err = conn.Control(func(fd uintptr) { over, polled = poll(fd) })
	return over, errors.Join(err, polled)
}

func poll(fd uintptr) (bool, error) {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p, 0)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false, fmt.Errorf("poll a pidfd: %w", err)
		default:
			return n > 0, nil
		}
	}
}

// wait lets the runtime's poller wait, which takes no thread.
func wait(ctx context.Context, f *os.File) error {
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var polled error
	err = conn.Read(func(fd uintptr) bool {
		var over bool
		over, polled = poll(fd)
		return over || polled != nil
	})
	if errors.Is(err, os.ErrDeadlineExceeded) && ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(err, polled)
}

func sendSignal(f *os.File, sig syscall.Signal) error {
	if f == nil {
		return errors.ErrUnsupported
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	if err := conn.Control(func(fd uintptr) { sent = unix.PidfdSendSignal(int(fd), sig, nil, 0) }); err != nil {
		return err
	}
	if errors.Is(sent, unix.ESRCH) {
		return ErrGone
	}
	return sent
}
