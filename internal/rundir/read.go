package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// maxRecord is the most bytes that a record may have.
const maxRecord = 4 << 10

// read returns the content of a regular file of at most limit bytes, and what
// stat said of it. It returns ErrAbsent, a MalformedError for what is no such
// file, or why it could not be read. It never follows a link and never waits.
func (r *Reader) read(name string, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := r.open(name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch err = errors.Join(err, f.Close()); {
	case err != nil:
		return nil, nil, fmt.Errorf("read %s: %w", r.File(name), err)
	case int64(len(content)) > limit:
		return nil, nil, &MalformedError{name, fmt.Sprintf("it has more than %d bytes", limit)}
	}
	return content, info, nil
}

// open opens a file that is there and a regular one, with the errors of read.
func (r *Reader) open(name string, flag int) (*os.File, fs.FileInfo, error) {
	// A record may be replaced between the look at it and the opening. That it
	// happens again and again is no writer's doing.
	for range 10 {
		before, err := r.stat(name)
		if err != nil {
			return nil, nil, err
		}
		f, err := r.dir.OpenFile(name, flag|nonblock, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", r.File(name), err)
		}
		info, err := f.Stat()
		if err == nil && os.SameFile(before, info) {
			return f, info, nil
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", r.File(name), err)
		}
	}
	return nil, nil, &MalformedError{name, "it is another file at every look"}
}

// stat is the state of a regular file, with the errors of read.
func (r *Reader) stat(name string) (fs.FileInfo, error) {
	info, err := r.dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", r.File(name), ErrAbsent)
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", r.File(name), err)
	case !info.Mode().IsRegular():
		return nil, &MalformedError{name, kindOf(info.Mode())}
	}
	return info, nil
}

// modified is when a file was last written to, by the wall clock; zero when it
// is not there or is no file.
func (r *Reader) modified(name string) time.Time {
	info, err := r.stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
