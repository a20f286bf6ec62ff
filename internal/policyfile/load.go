package policyfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// MaxSize is the largest policy file that is read, in bytes.
const MaxSize = 1 << 20

// Load reads the policy file at path. What is wrong, be it in the file or with
// it, is an *Error. Only a regular file is opened: a FIFO would wait for a
// writer, and a device need not end.
func Load(path string) (*File, error) {
	text, err := read(path)
	if err != nil {
		return nil, &Error{Path: path, Findings: []Finding{{Text: err.Error()}}}
	}
	return Parse(path, text)
}

func read(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("a policy file has a name")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, plain(err)
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	// Another file may have taken the name meanwhile.
	if info, err = f.Stat(); err != nil {
		return nil, plain(err)
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, plain(err)
	}
	if len(text) > MaxSize {
		return nil, tooLarge()
	}
	return text, nil
}

func regular(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("this is a directory, not a policy file")
	case !mode.IsRegular():
		return errors.New("this is no regular file: a policy file is read from nothing else")
	case info.Size() > MaxSize:
		return tooLarge()
	}
	return nil
}

func tooLarge() error { return fmt.Errorf("this is larger than %d bytes: no policy file is", MaxSize) }

// plain is err without the path, which Error puts before it.
func plain(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}
