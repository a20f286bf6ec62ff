package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// interruptible is the context of a command. From when something first waits
// for its end, SIGINT and SIGTERM are caught and end it; the next of them kills
// as usual. Until then they are not caught at all: a command that writes its
// row and exits is well ended by the signal itself, since what was not
// committed is undone, and it starts half a millisecond sooner without a
// handler and the threads that come with it.
type interruptible struct {
	mu     sync.Mutex
	ctx    context.Context // as long as nothing waits, without signals
	stop   func()          // nil until signals are caught
	cancel context.CancelCauseFunc
}

func newInterruptible() *interruptible {
	c := &interruptible{}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return c
}

// Done catches signals from the first call on.
func (c *interruptible) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop == nil {
		c.ctx, c.stop = signal.NotifyContext(c.ctx, os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(c.ctx, c.stop) // the next signal kills
	}
	return c.ctx.Done()
}

// present is the context that speaks for c.
func (c *interruptible) present() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ctx
}

// Deadline says that there is none.
func (c *interruptible) Deadline() (time.Time, bool) { return time.Time{}, false }

// Err is why c ended, nil before that.
func (c *interruptible) Err() error { return c.present().Err() }

// Value lets context.Cause, and contexts that are made of c, find what ends it.
func (c *interruptible) Value(key any) any { return c.present().Value(key) }

// release ends c and lets signals be what they were.
func (c *interruptible) release() {
	c.cancel(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}
