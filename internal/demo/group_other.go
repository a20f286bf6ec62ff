//go:build !unix

package demo

import "os/exec"

// inGroup does nothing: there are no process groups here.
func inGroup(*exec.Cmd) {}

// endGroup ends cmd alone.
func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
