//go:build unix

package supervise

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/internal/gate"
	"github.com/progmon/progmon/internal/presence"
)

// executable says that this user may execute the file.
func executable(file string) bool { return unix.Access(file, unix.X_OK) == nil }

// self is the file of this program, also when another one has been put in its
// place since.
func self() (string, error) {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return own, nil
	}
	return os.Executable()
}

// fork makes the child, in a group of its own, and leaves it waiting before
// the exec. The caller lets it go or abandons it.
func fork(s spawn) (c *child, err error) {
	path, err := s.command.path()
	if err != nil {
		return nil, err
	}
	program, err := self()
	if err != nil {
		return nil, err
	}
	var files [4]*os.File // word and report: read end, write end
	defer func() {
		for i, f := range files {
			if f != nil && (err != nil || i == 0 || i == 3) {
				f.Close()
			}
		}
	}()
	if files[0], files[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if files[2], files[3], err = os.Pipe(); err != nil {
		return nil, err
	}
	attr := &syscall.ProcAttr{
		Dir:   s.command.Dir,
		Env:   s.env,
		Files: []uintptr{s.stdin.Fd(), s.log.Fd(), s.log.Fd(), files[0].Fd(), files[3].Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	}
	if s.terminal {
		attr.Sys.Foreground, attr.Sys.Ctty = true, int(s.stdin.Fd())
	}
	argv := append([]string{gate.Name, path}, s.command.Argv...)
	pid, err := syscall.ForkExec(program, argv, attr)
	if err != nil {
		return nil, err
	}
	c = &child{pid: pid, word: files[1], report: files[2]}
	if c.id, err = presence.Of(pid); err != nil {
		c.abandon()
		return nil, err
	}
	return c, nil
}

// release lets the command run. It returns once the command is in its place,
// or with the errno of why it is not; the child is then reaped. One that
// somebody ended at the gate has been started and is over: its status says so.
func (c *child) release() error {
	_, err := c.word.Write([]byte{1})
	c.word.Close()
	var errno [4]byte
	n, readErr := io.ReadFull(c.report, errno[:])
	c.report.Close()
	switch {
	case (err == nil || errors.Is(err, syscall.EPIPE)) && n == 0 && errors.Is(readErr, io.EOF):
		return nil
	case n == len(errno):
		err = syscall.Errno(binary.LittleEndian.Uint32(errno[:]))
	case err == nil:
		err = readErr
	}
	_, _ = c.reap()
	return err
}

// abandon ends a child that was not let go, and reaps it.
func (c *child) abandon() {
	c.word.Close()
	c.report.Close()
	_, _ = c.reap()
}

// reap waits for the end of the child and takes its status. Its number is free
// afterwards.
func (c *child) reap() (status, error) {
	var ws syscall.WaitStatus
	for {
		_, err := syscall.Wait4(c.pid, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return status{}, os.NewSyscallError("wait4", err)
		}
		s := status{at: time.Now()}
		if ws.Signaled() {
			s.signal = int(ws.Signal())
		} else {
			s.code = ws.ExitStatus()
		}
		return s, nil
	}
}

// signal sends sig to the child's group. The child has not been reaped, so the
// group is its own.
func (c *child) signal(sig syscall.Signal) error {
	err := syscall.Kill(-c.pid, sig)
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, syscall.EPERM) && c.ended() {
		return nil // nobody left but what waits to be reaped
	}
	return err
}
