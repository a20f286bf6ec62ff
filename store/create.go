package store

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
)

// prepare makes path absolute, refuses what can be no trail, and makes the
// directory and an empty file where nothing is.
func prepare(path string, o options) (string, error) {
	if path == "" {
		return "", &refusal{ErrCannotCreate, "the trail has no path"}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", cannotCreate(err)
	}
	real := abs
	if at, err := filepath.EvalSymlinks(abs); err == nil {
		real = at
	}
	// The log is asked for first: of a trail that is being made it comes after
	// the file has something in it.
	log, orphan := o.stat(real + "-wal")
	info, err := o.stat(abs)
	switch {
	case orphan == nil && log.Size() > 0 && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0):
		return "", &refusal{ErrCannotCreate, fmt.Sprintf("%s-wal is the write-ahead log of a trail that is not there any more, "+
			"and a new one would destroy what is in it: bring %s back, or move its log away too", real, real)}
	case err == nil:
		if !info.Mode().IsRegular() {
			return "", &BlindError{BlindNotATrail, kindOfFile(info.Mode())}
		}
		if _, err := findOnly(o.find, abs); err != nil {
			return "", err
		}
	case errors.Is(err, fs.ErrPermission):
		return "", &BlindError{BlindPermission, err.Error()}
	case errors.Is(err, syscall.ELOOP):
		return "", &refusal{ErrCannotCreate, abs + " is a symbolic link that leads back to itself"}
	case !errors.Is(err, fs.ErrNotExist):
		return "", cannotCreate(err)
	default:
		if err := os.MkdirAll(filepath.Dir(abs), 0o700); err != nil {
			return "", cannotCreate(err)
		}
	}
	if kind := o.fsType(filepath.Dir(real)); kind != "" {
		return "", &refusal{ErrUnavailable, fmt.Sprintf(
			"%s is on a network file system (%s), where a write-ahead log is not safe: put the trail on a local disk", abs, kind)}
	}
	if err != nil {
		// Nothing can have this file open yet, so closing it drops nobody's lock.
		f, err := os.OpenFile(abs, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		switch {
		case errors.Is(err, fs.ErrExist):
			if to, err := os.Readlink(abs); err == nil {
				return "", &refusal{ErrCannotCreate, fmt.Sprintf("%s is a symbolic link to %s, which is not there", abs, to)}
			}
		case err != nil:
			return "", cannotCreate(err)
		default:
			if err := f.Close(); err != nil {
				return "", cannotCreate(err)
			}
		}
	}
	return abs, nil
}

// cannotCreate says why a file could not be made.
func cannotCreate(err error) error {
	kind := ErrCannotCreate
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		kind = ErrNoSpace
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// kindOfFile names a file that is not a regular one.
func kindOfFile(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "it is a directory"
	case m&fs.ModeNamedPipe != 0:
		return "it is a FIFO"
	case m&fs.ModeSocket != 0:
		return "it is a socket"
	case m&fs.ModeDevice != 0:
		return "it is a device"
	}
	return "it is not a regular file"
}

// dataSource is the driver's name for the file at the absolute path, with
// what is asked of the connection.
func dataSource(abs, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}, "_pragma": pragmas, "_txlock": {"immediate"}}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(abs), RawQuery: q.Encode()}
	if filepath.VolumeName(abs) != "" {
		u.Path = "/" + u.Path
	}
	return u.String()
}
