package supervise

import (
	"os"
	"time"

	"github.com/progmon/progmon/internal/presence"
)

// child is the process of one epoch. It is not reaped before the wrapper has
// done with its number: until then neither that nor its group can come to mean
// anyone else.
type child struct {
	pid    int
	id     presence.Identity
	word   *os.File // one byte lets it go
	report *os.File // the errno of an exec that failed; closed by one that did not
}

// status is how a process ended: by a code or by a signal.
type status struct {
	code   int
	signal int
	at     time.Time
}

// shell is the exit status as a shell shows it.
func (s status) shell() int {
	if s.signal != 0 {
		return 128 + s.signal
	}
	return s.code
}

// spawn says how a child is started.
type spawn struct {
	command Command
	env     []string
	stdin   *os.File
	log     *os.File
	// terminal says that stdin is a terminal whose foreground the child gets.
	terminal bool
}
