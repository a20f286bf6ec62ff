//go:build !linux

package doctor

import "errors"

func room(string) (free, files, freeFiles uint64, err error) {
	return 0, 0, 0, errors.ErrUnsupported
}

func unsynchronised() bool { return false }
