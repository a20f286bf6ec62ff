package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// What a caller can act on.
var (
	// ErrID: the name can be no run id. Nothing was made.
	ErrID = errors.New("a run id is 1 to 64 of a-z, 0-9, '.', '_' and '-', and begins with a letter or digit")
	// ErrExists: there is a directory of that run, or a record of that epoch.
	ErrExists = errors.New("it exists already")
	// ErrNotOurs: a symbolic link, something that is no directory or no regular
	// file, or what another user owns or can write to. Nothing was written.
	ErrNotOurs = errors.New("not ours to write to")
	// ErrNotKept: an exit record is durable as worker.exit, but not under the
	// name of its epoch.
	ErrNotKept = errors.New("the exit record has no copy under its epoch")
)

// Why a file could not be written. What is neither of these is the machine's
// fault, or unheard of.
var (
	// ErrCannotCreate: not permitted, read-only, or a name that cannot be. It
	// stays so until somebody changes something.
	ErrCannotCreate = errors.New("cannot create")
	// ErrNoSpace: the disk or the quota is full. Trying later may help.
	ErrNoSpace = errors.New("no space left for the run's files")
)

// What reading may find.
var (
	// ErrAbsent: the file is not there.
	ErrAbsent = errors.New("not there")
	// ErrEmpty: the file is there and holds nothing. Its writer may be about to
	// write, or the disk was full.
	ErrEmpty = errors.New("empty")
)

// MalformedError says that a file is there and cannot be what it should be.
type MalformedError struct {
	File string
	What string // what was found instead, for a person; safe to print
}

// Error names the file and what is wrong with it.
func (m *MalformedError) Error() string { return m.File + " is malformed: " + m.What }

// classify says what was attempted on what, and of which kind the error is.
func classify(act, subject string, err error) error {
	if err == nil {
		return nil
	}
	for _, ours := range []error{ErrID, ErrExists, ErrNotOurs, ErrCannotCreate, ErrNoSpace} {
		if errors.Is(err, ours) {
			return fmt.Errorf("%s %s: %w", act, subject, err)
		}
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), isQuota(err):
		return fmt.Errorf("%s %s: %w: %w", act, subject, ErrNoSpace, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist),
		errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR),
		errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP):
		return fmt.Errorf("%s %s: %w: %w", act, subject, ErrCannotCreate, err)
	}
	return fmt.Errorf("%s %s: %w", act, subject, err)
}
