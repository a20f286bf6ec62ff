package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestNobodyWaitsNobodyCatches: signals are caught when something waits, and
// what ended the context is told to all that were made of it, before and after.
func TestNobodyWaitsNobodyCatches(t *testing.T) {
	c := newInterruptible()
	before := context.WithValue(c, key{}, "kept")
	if c.stop != nil || c.Err() != nil || before.Err() != nil {
		t.Fatal("signals are caught before anything waits")
	}
	after, cancel := context.WithTimeout(before, time.Hour)
	defer cancel()
	if c.stop == nil {
		t.Error("signals are not caught although something waits")
	}
	c.cancel(errReaderGone)
	<-after.Done()
	for _, ctx := range []context.Context{c, before, after} {
		if !errors.Is(ctx.Err(), context.Canceled) || context.Cause(ctx) != errReaderGone {
			t.Errorf("%T ended with %v, %v", ctx, ctx.Err(), context.Cause(ctx))
		}
	}
	if before.Value(key{}) != "kept" {
		t.Error("a value is lost")
	}
	c.release()
}

type key struct{}

func TestItEndsWithoutAnybodyWaiting(t *testing.T) {
	c := newInterruptible()
	c.cancel(errReaderGone)
	if c.Err() == nil || context.Cause(c) != errReaderGone {
		t.Errorf("ended with %v, %v", c.Err(), context.Cause(c))
	}
	<-c.Done()
	c.release()
	newInterruptible().release()
}
