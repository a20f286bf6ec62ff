package presence

import (
	"errors"
	"time"
)

// kernel is what presence asks of the machine it runs on.
type kernel interface {
	// place is where this process lives.
	place() place
	// stat is what the process table shows of a number. Any error means no more
	// than that nothing was shown, and errors.ErrUnsupported that nothing ever is.
	stat(pid int) (status, error)
	// signal asks whether a signal could be sent. errNoProcess means that no
	// process has the number; any other answer proves nothing.
	signal(pid int) error
	// leads reports whether the number is a process and not one of the threads
	// of another, where that can be told.
	leads(pid int) bool
	// started is when a process started, on the wall clock as it goes now.
	started(status) (time.Time, bool)
}

// place is a machine, a boot of it and a pid namespace in it; what is empty
// could not be read.
type place struct{ machine, boot, namespace string }

// status is what the process table says.
type status struct {
	state   state
	start   uint64
	threads int // 0: not known
}

type state byte

const (
	running state = iota // or asleep, or whatever else is not below
	stopped
	zombie
)

var errNoProcess = errors.New("no process has this number")

// system is the kernel of this machine; its methods are in kernel_GOOS.go.
type system struct{}
