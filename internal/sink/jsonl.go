package sink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// jsonl appends a line of JSON to a file for each message. The file is opened by
// its name each time, so that one that was rotated away is left alone.
type jsonl struct {
	path string

	mu   sync.Mutex
	busy bool // a file system does not answer
}

// Close implements Sender.
func (j *jsonl) Close() {}

// Send implements Sender.
func (j *jsonl) Send(ctx context.Context, m Message) (string, error) {
	line, err := json.Marshal(m)
	if err != nil {
		return "", &Failure{Err: err, Gone: true}
	}
	j.mu.Lock()
	hung := j.busy
	j.busy = true
	j.mu.Unlock()
	if hung {
		return "", errors.New("the file system does not answer")
	}
	done := make(chan error, 1)
	go func() {
		err := appendLine(j.path, line)
		j.mu.Lock()
		j.busy = false
		j.mu.Unlock()
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d bytes appended", len(line)+1), nil
	case <-ctx.Done():
		return "", &Failure{Err: fmt.Errorf("append to the file: %w", ctx.Err()), Unsure: true}
	}
}

// appendLine appends a line, durably. A piece of a line that a full disk or a
// crash left behind is ended first, so that only it is lost to a reader.
func appendLine(path string, line []byte) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("append to %q: it is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return fmt.Errorf("open %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := append(line[:len(line):len(line)], '\n')
	if size := info.Size(); size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	// One write, so that two monitors do not write into each other's lines.
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}
