package presence

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Identity names one process and no other, ever. The zero value names none. A
// field that is empty was not known to whoever made the identity, and is taken
// to be as it is here.
type Identity struct {
	Machine   string `json:"machine_id,omitempty"` // /etc/machine-id
	Boot      string `json:"boot_id,omitempty"`    // made anew by the kernel at each start
	Namespace string `json:"pid_ns,omitempty"`     // which PID belongs to, as in "pid:[4026531836]"
	PID       int    `json:"pid"`
	// Start is when the kernel started the process, in ticks of a hundredth of
	// a second since the boot (Linux), or in microseconds of the wall clock at
	// that time (macOS). It is only ever compared for equality. 0 is unknown:
	// the identity is a bare number.
	Start uint64 `json:"start_ticks,omitempty"`

	// Noted is, for a bare number, the latest wall time at which it was known
	// to be right, such as the modification time of the file it was read from.
	// A process that started well after that is another one. Zero is unknown.
	Noted time.Time `json:"-"`
}

// Bare reports whether all there is to go by is a number. Then Look can be
// wrong: the number may have been given to a stranger who cannot be told from
// the process meant, as long as it did not start after Noted.
func (id Identity) Bare() bool { return id.Start == 0 }

// Same reports whether two identities name one process. A bare number is the
// same as no other.
func (id Identity) Same(other Identity) bool {
	id.Noted, other.Noted = time.Time{}, time.Time{}
	return id == other && !id.Bare()
}

// String is the number, for people.
func (id Identity) String() string { return fmt.Sprintf("pid %d", id.PID) }

var (
	// ErrGone says that a process is not there any more.
	ErrGone = errors.New("the process is gone")
	// ErrUnknown says that a process cannot be seen from here.
	ErrUnknown = errors.New("the process cannot be seen from here")
)

// Of makes the identity of the process that has the number now. It returns
// ErrGone if there is none, and ErrUnknown if it is hidden. Where start times
// cannot be known (neither Linux nor macOS, or a pid namespace without its own
// /proc) the identity is a bare number.
func Of(pid int) (Identity, error) { return of(system{}, pid) }

// Self is the identity of this process.
func Self() (Identity, error) { return Of(os.Getpid()) }

func of(k kernel, pid int) (Identity, error) {
	here := k.place()
	id := Identity{Machine: here.machine, Boot: here.boot, Namespace: here.namespace, PID: pid}
	if !numbersProcess(pid) {
		return Identity{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	st, err := k.stat(pid)
	switch {
	case err == nil:
		id.Start = st.start
		return id, nil
	case errors.Is(err, errors.ErrUnsupported):
		return id, nil
	case errors.Is(k.signal(pid), errNoProcess):
		return Identity{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	return Identity{}, fmt.Errorf("pid %d: %w: %w", pid, ErrUnknown, err)
}

// numbersProcess says whether the kernel can have given out the number: 0 and
// below mean groups to kill(2).
func numbersProcess(pid int) bool { return pid > 0 && pid <= 1<<30 }
