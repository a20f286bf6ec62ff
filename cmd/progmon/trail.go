package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

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
	return store.OpenReader(ctx, path, opts...)
}
