package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/progmon/progmon/store"
)

// makeTrail opens the trail for a command that begins something, and makes it
// where there is none. The caller closes it.
func (e *env) makeTrail(ctx context.Context, opts ...store.Option) (*store.Store, error) {
	path, err := e.db()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, path, opts...)
	return s, unwritable(err)
}

// openTrail opens a trail that is there for writing. A name that is mistyped
// is an error, and makes no file. The caller closes it.
func (e *env) openTrail(ctx context.Context, opts ...store.Option) (*store.Store, error) {
	path, err := e.db()
	if err != nil {
		return nil, err
	}
	return whole(ctx, path, func() (*store.Store, error) { return openThere(ctx, path, opts) })
}

// openThere is openTrail, now.
func openThere(ctx context.Context, path string, opts []store.Option) (*store.Store, error) {
	reason := ""
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist) && !strings.Contains(path, "://"):
		reason = store.BlindMissing
	case err == nil && info.Mode().IsRegular() && info.Size() == 0:
		reason = store.BlindEmpty // which store.Open would take for a new trail
	}
	if reason != "" {
		err := fmt.Errorf("open the trail %q: %w", path, &store.BlindError{Reason: reason})
		return nil, withHint(unwritable(err), "progmon start makes a trail; --db or PROGMON_DB names another")
	}
	s, err := store.Open(ctx, path, opts...)
	return s, unwritable(err)
}

// readTrail opens the trail for looking. What cannot be read is a
// *store.BlindError, which exits 3. The caller closes it.
func (e *env) readTrail(ctx context.Context, opts ...store.Option) (*store.Reader, error) {
	path, err := e.db()
	if err != nil {
		return nil, err
	}
	return whole(ctx, path, func() (*store.Reader, error) { return store.OpenReader(ctx, path, opts...) })
}

// makingTakes is how long a trail may be in the making, and makingPause how
// long is waited before it is looked at again.
const (
	makingTakes = 2 * time.Second
	makingPause = 20 * time.Millisecond
)

// whole opens a trail, and waits a little for one that is being made: the
// first progmon start has an empty file under the name before the schema is in
// it, and who looks at that moment is not blind but early.
func whole[T any](ctx context.Context, path string, open func() (T, error)) (T, error) {
	for until := time.Now().Add(makingTakes); ; {
		t, err := open()
		if err == nil || time.Now().After(until) || !inTheMaking(err, path) {
			return t, err
		}
		pause := time.NewTimer(makingPause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return t, err
		case <-pause.C:
		}
	}
}

// inTheMaking reports whether err is about a file that was written a moment ago
// and is no trail yet. One that is being made has its lock beside it, or will
// have it at once.
func inTheMaking(err error, path string) bool {
	blind, ok := errors.AsType[*store.BlindError](err)
	if !ok || blind.Reason != store.BlindEmpty && blind.Reason != store.BlindNotATrail && blind.Reason != store.BlindOlder {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	young := makingTakes
	if _, err := os.Stat(path + "-lock"); err != nil {
		young = 2 * makingPause
	}
	return time.Since(info.ModTime()).Abs() < young
}
