//go:build !unix

package supervise

import (
	"errors"
	"syscall"
)

// On this platform nothing can be wrapped, only watched.

func executable(string) bool                 { return true }
func adoptOrphans() error                    { return errors.ErrUnsupported }
func reapOrphans(func(pid int) bool)         {}
func fork(spawn) (*child, error)             { return nil, errors.ErrUnsupported }
func (c *child) release() error              { return errors.ErrUnsupported }
func (c *child) abandon()                    {}
func (c *child) reap() (status, error)       { return status{}, errors.ErrUnsupported }
func (c *child) signal(syscall.Signal) error { return errors.ErrUnsupported }
func (c *child) ended() bool                 { return false }
func (c *child) stopped() bool               { return false }

func childless() bool { return false }
