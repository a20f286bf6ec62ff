package presence

import (
	"errors"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The values of a process's p_stat, sys/proc.h.
const (
	sSTOP = 4
	sZOMB = 5
)

func (system) place() place { return here() }

// here has no machine id, so a process of an earlier boot is unknown.
var here = sync.OnceValue(func() place {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return place{}
	}
	return place{boot: boot}
})

func (system) stat(pid int) (status, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return status{}, err
	}
	if int(info.Proc.P_pid) != pid {
		return status{}, errNoProcess
	}
	st := status{start: uint64(info.Proc.P_starttime.Sec)*1e6 + uint64(info.Proc.P_starttime.Usec)}
	switch info.Proc.P_stat {
	case sZOMB:
		st.state = zombie
	case sSTOP:
		st.state = stopped
	}
	return st, nil
}

func (system) signal(pid int) error {
	err := unix.Kill(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return errNoProcess
	}
	return err
}

// leads: threads have no numbers of their own here.
func (system) leads(int) bool { return true }

func (system) started(st status) (time.Time, bool) {
	return time.UnixMicro(int64(st.start)), true
}
