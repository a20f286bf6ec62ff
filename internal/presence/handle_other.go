//go:build !linux

package presence

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// On this platform a process cannot be held, only looked at.
func openProcess(int) (*os.File, error)         { return nil, nil }
func ended(*os.File) (bool, error)              { return false, errors.ErrUnsupported }
func wait(context.Context, *os.File) error      { return errors.ErrUnsupported }
func sendSignal(*os.File, syscall.Signal) error { return errors.ErrUnsupported }
