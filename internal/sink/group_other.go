//go:build !unix

package sink

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }
