package presence

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// hertz is the rate of the ticks in /proc, USER_HZ, on every platform that Go
// runs on.
const hertz = 100

// place is read once: a process changes none of it while it lives.
func (system) place() place { return here() }

var here = sync.OnceValue(func() place {
	p := place{machine: machineID()}
	if b, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		p.boot = strings.TrimSpace(string(b))
	}
	p.namespace = namespace()
	return p
})

// machineID is empty where there is none, as in most containers.
func machineID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		b, err := os.ReadFile(path)
		id := strings.TrimSpace(string(b))
		if err == nil && len(id) == 32 && strings.Trim(id, "0123456789abcdef") == "" {
			return id
		}
	}
	return ""
}

// namespace names the pid namespace. Start times are shown shifted inside a
// time namespace whose boot clock is, so such a one is part of the name.
func namespace() string {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	offsets, err := os.ReadFile("/proc/self/timens_offsets")
	if err != nil {
		return name // no time namespaces in this kernel
	}
	for line := range strings.Lines(string(offsets)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "boottime" && (f[1] != "0" || f[2] != "0") {
			if shift, err := os.Readlink("/proc/self/ns/time"); err == nil {
				name += " " + shift
			}
		}
	}
	return name
}

// procIsOurs reports whether /proc numbers processes as we do. In a pid
// namespace that was made without a /proc of its own it shows the numbers of
// the one outside, and other processes under ours.
var procIsOurs = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
})

func (system) stat(pid int) (status, error) {
	if !procIsOurs() {
		return status{}, errors.ErrUnsupported
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return status{}, err
	}
	return parseStat(line)
}

// parseStat reads a line of proc(5)'s /proc/PID/stat. The second field is the
// name that the process gave itself, in parentheses but otherwise anything: it
// ends at the last parenthesis of the line.
func parseStat(line []byte) (status, error) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return status{}, fmt.Errorf("a process table line without a name: %q", line)
	}
	f := strings.Fields(string(line[end+1:])) // f[0] is field 3
	if len(f) < 20 {
		return status{}, fmt.Errorf("a process table line of %d fields: %q", len(f)+2, line)
	}
	var st status
	switch f[0] {
	case "Z", "X", "x":
		st.state = zombie
	case "T", "t":
		st.state = stopped
	}
	var err error
	if st.threads, err = strconv.Atoi(f[17]); err != nil {
		return status{}, fmt.Errorf("field 20 of a process table line: %w", err)
	}
	if st.start, err = strconv.ParseUint(f[19], 10, 64); err != nil {
		return status{}, fmt.Errorf("field 22 of a process table line: %w", err)
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

// leads asks /proc/PID/status, since a thread has a directory there as well.
func (system) leads(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if group, ok := strings.CutPrefix(line, "Tgid:"); ok {
			return strings.TrimSpace(group) == strconv.Itoa(pid)
		}
	}
	return true
}

// started counts back from now on the boot clock, which nobody can set.
func (system) started(st status) (time.Time, bool) {
	var up unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &up); err != nil {
		return time.Time{}, false
	}
	age := time.Duration(up.Nano()) - time.Duration(st.start)*(time.Second/hertz)
	return time.Now().Add(-max(age, 0)), true
}
