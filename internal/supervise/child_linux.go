package supervise

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of what its descendants leave
// behind, so that it is seen and can be reported.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// ended says that the child is over, and leaves it unreaped.
func (c *child) ended() bool {
	pid, _ := peek(unix.P_PID, c.pid)
	return pid == c.pid
}

// stopped says that the child was stopped since the last call.
func (c *child) stopped() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, c.pid, &info, unix.WSTOPPED|unix.WNOHANG, nil)
	return err == nil && childOf(&info) == c.pid
}

// peek gives a child that is over without reaping it, 0 when there is none.
func peek(idType, id int) (int, error) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(idType, id, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		return childOf(&info), nil
	}
}

// reapOrphans takes the status of what this process has become the parent of,
// so that it does not stay behind as zombies. mine are children that somebody
// waits for.
func reapOrphans(mine func(pid int) bool) {
	for {
		pid, err := peek(unix.P_ALL, 0)
		if err != nil || pid == 0 || mine(pid) {
			return
		}
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != nil {
			return
		}
	}
}

// childOf is the si_pid of what waitid(2) found, 0 when it found nothing. The
// field is the first of a union behind three numbers, which is aligned as a
// pointer is.
func childOf(info *unix.Siginfo) int {
	if info.Signo == 0 {
		return 0
	}
	const word = unsafe.Sizeof(uintptr(0))
	const union = (unsafe.Sizeof([3]int32{}) + word - 1) / word * word
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), union)))
}

// childless says that this process has no children, and so, as it would be
// given the orphans among them, no descendants either.
func childless() bool {
	_, err := peek(unix.P_ALL, 0)
	return errors.Is(err, unix.ECHILD)
}
