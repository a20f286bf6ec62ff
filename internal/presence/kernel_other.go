//go:build !linux && !darwin

package presence

import (
	"errors"
	"time"
)

// On this platform nothing is known of any process.
func (system) place() place                     { return place{} }
func (system) stat(int) (status, error)         { return status{}, errors.ErrUnsupported }
func (system) signal(int) error                 { return errors.ErrUnsupported }
func (system) leads(int) bool                   { return true }
func (system) started(status) (time.Time, bool) { return time.Time{}, false }
