//go:build !unix

package supervise

import (
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
