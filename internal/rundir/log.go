package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// OpenLog opens worker.log for the command's output, at its end, and makes it
// where it is missing. Give the file itself to the command: no byte of it then
// passes through the wrapper.
func (d *Dir) OpenLog() (*os.File, error) {
	info, err := d.stat(LogFile)
	if err != nil && !errors.Is(err, ErrAbsent) {
		if bad, ok := errors.AsType[*MalformedError](err); ok {
			err = fmt.Errorf("%w: %s", ErrNotOurs, bad.What)
		}
		return nil, classify("open", d.File(LogFile), err)
	}
	flag := os.O_WRONLY | os.O_APPEND
	if info == nil {
		flag |= os.O_CREATE | os.O_EXCL
	}
	f, err := d.dir.OpenFile(LogFile, flag, 0o600)
	if err != nil {
		return nil, classify("open", d.File(LogFile), err)
	}
	opened, err := f.Stat()
	switch {
	case err != nil:
	case info == nil:
		err = f.Chmod(0o600)
	case !os.SameFile(info, opened):
		err = fmt.Errorf("%w: it was replaced", ErrNotOurs)
	default:
		err = ours(opened)
	}
	if err != nil {
		return nil, errors.Join(classify("open", d.File(LogFile), err), f.Close())
	}
	return f, nil
}

// ReadLog opens worker.log for showing. It returns ErrAbsent, a MalformedError
// when it is no regular file, or why it cannot be read. Its bytes are a
// stranger's: escape them.
func (r *Reader) ReadLog() (*os.File, fs.FileInfo, error) { return r.open(LogFile, os.O_RDONLY) }
