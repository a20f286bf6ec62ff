package store

import (
	"context"
	"sync"
	"time"
)

// unanswered holds, by path, the attempts that a file system has not answered.
var unanswered struct {
	sync.Mutex
	paths map[string]bool
}

// within runs fn, which may hang in the kernel, and gives up on it after limit
// or when ctx ends. What hangs is left behind, and until it answers nothing
// else is begun on the same path: one goroutine a path, however often it is
// looked at.
func within(ctx context.Context, path string, limit time.Duration, fn func() error) error {
	hung := &BlindError{BlindHung, "the file system does not answer"}
	unanswered.Lock()
	waiting := unanswered.paths[path]
	unanswered.Unlock()
	if waiting {
		return hung
	}
	done := make(chan error, 1)
	go func() { done <- fn() }()
	t := time.NewTimer(limit)
	defer t.Stop()
	var err error
	select {
	case err := <-done:
		return err
	case <-t.C:
		err = hung
	case <-ctx.Done():
		err = ctx.Err()
	}
	unanswered.Lock()
	if unanswered.paths == nil {
		unanswered.paths = make(map[string]bool)
	}
	unanswered.paths[path] = true
	unanswered.Unlock()
	go func() {
		<-done
		unanswered.Lock()
		delete(unanswered.paths, path)
		unanswered.Unlock()
	}()
	return err
}
