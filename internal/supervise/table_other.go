//go:build !linux && !darwin

package supervise

import "errors"

func processes() ([]Process, error) { return nil, errors.ErrUnsupported }
