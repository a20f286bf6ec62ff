//go:build unix

package supervise

import "syscall"

// apart gives a process a session of its own, which no signal to the group or
// the terminal of its parent reaches.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
