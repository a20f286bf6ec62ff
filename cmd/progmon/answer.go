package main

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/mattn/go-isatty"
)

// answer is stdout. It remembers the first write that failed: on a full disk
// that error is the only warning there is. Several goroutines may write.
type answer struct {
	w      io.Writer
	onGone func()

	mu  sync.Mutex
	err error
}

func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.w.Write(p)
	a.keep(err)
	return n, err
}

func (a *answer) keep(err error) {
	if err == nil || a.err != nil {
		return
	}
	a.err = err
	if errors.Is(err, syscall.EPIPE) && a.onGone != nil {
		a.onGone()
	}
}

// file is the file behind stdout, or nil when there is none.
func (a *answer) file() *os.File {
	f, _ := a.w.(*os.File)
	return f
}

// isTerminal says that a person looks at stdout.
func (a *answer) isTerminal() bool {
	f := a.file()
	return f != nil && isatty.IsTerminal(f.Fd())
}

// close ends the answer and returns the first error of all that was written.
// Some file systems tell of a full disk only when the file is closed.
func (a *answer) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f := a.file(); f != nil {
		a.keep(f.Close())
	}
	return a.err
}
