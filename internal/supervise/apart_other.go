//go:build !unix

package supervise

import (
	"errors"
	"syscall"
)

func apart() *syscall.SysProcAttr { return nil }

func self() (string, error) { return "", errors.ErrUnsupported }
