//go:build !unix

package supervise

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

var forwarded = []os.Signal{os.Interrupt}

const sigcont = syscall.Signal(0)

func isStop(syscall.Signal) bool    { return false }
func notifyChildren(chan os.Signal) {}
func stopSelf()                     {}
func isTerminal(*os.File) bool      { return false }
func reclaim(*os.File)              {}
func suspend(*os.File, int)         {}

// ParseSignal reads a signal as people write it. This platform has none.
func ParseSignal(text string) (syscall.Signal, error) {
	return 0, fmt.Errorf("signal %q: %w", text, errors.ErrUnsupported)
}
