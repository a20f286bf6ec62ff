//go:build unix

package demo

import (
	"os/exec"
	"syscall"
)

// inGroup gives cmd a process group of its own, so that what it starts can be
// ended with it.
func inGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends cmd and what it started. Call it before cmd is waited for: until
// then nobody else can have its number.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
