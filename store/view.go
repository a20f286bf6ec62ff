package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// view is the connection on which looks read. It is spoken to without
// database/sql, which allocates at every row.
type view struct {
	mu sync.Mutex // one snapshot at a time

	// A snapshot that was given up may still be reading, for as long as a file
	// system likes. Nobody waits for it: whoever closes the view leaves the
	// connection to it.
	state sync.Mutex
	busy  bool
	left  bool
	conn  *conn

	// version is PRAGMA data_version, as Changed last saw it on the connection
	// that the sight keeps: it compares on one connection only.
	keepMu  sync.Mutex
	version int64
}

// view runs fn in one snapshot of the trail, so that all it reads was true at
// one instant. It gives up on a file system that does not answer: fn must
// leave what it read alone until view returns nil.
func (r *Reader) view(ctx context.Context, fn func(*conn) error) error {
	s, err := r.sight(ctx)
	if err != nil {
		return err
	}
	return within(ctx, r.path, 2*r.opt.busy, func() error { return s.view.snapshot(r.path, r.opt, s, fn) })
}

func (v *view) snapshot(abs string, o options, s *sight, fn func(*conn) error) (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.begin() {
		return ErrClosed
	}
	defer func() { err = or(err, v.end()) }()
	if v.conn == nil {
		c, err := connect(abs, readSource(abs, o))
		if err != nil {
			return blindly(abs, o, err)
		}
		if err := sameFile(o.find, abs, s.file); err != nil {
			return or(err, c.close())
		}
		v.conn = c
	}
	if err := v.conn.plain("BEGIN"); err != nil {
		return locked(err)
	}
	defer func() { err = or(err, v.conn.plain("COMMIT")) }()
	return asDamage(locked(fn(v.conn)))
}

// begin takes the connection, unless the view was closed.
func (v *view) begin() bool {
	v.state.Lock()
	defer v.state.Unlock()
	v.busy = !v.left
	return v.busy
}

// end gives the connection back, and closes it where the view was closed
// meanwhile.
func (v *view) end() error {
	v.state.Lock()
	defer v.state.Unlock()
	v.busy = false
	if !v.left {
		return nil
	}
	return v.drop()
}

// close closes the connection, or leaves that to the snapshot that is reading.
// It waits for nobody and may be called more than once.
func (v *view) close() error {
	v.state.Lock()
	defer v.state.Unlock()
	v.left = true
	if v.busy {
		return nil
	}
	return v.drop()
}

func (v *view) drop() error {
	c := v.conn
	v.conn = nil
	if c == nil {
		return nil
	}
	return c.close()
}

// Changed reports whether anyone has committed to the trail since the last
// call on this Reader. The first call reports true.
func (r *Reader) Changed(ctx context.Context) (bool, error) {
	s, err := r.sight(ctx)
	if err != nil {
		return false, err
	}
	s.view.keepMu.Lock()
	defer s.view.keepMu.Unlock()
	var version int64
	if err := s.keep.GetContext(ctx, &version, "PRAGMA data_version"); err != nil {
		return false, fmt.Errorf("ask whether the trail changed: %w", locked(translate(err)))
	}
	changed := version != s.view.version
	s.view.version = version
	return changed, nil
}

// lookFirst makes sure that there is a trail at path and that it can be read.
func lookFirst(ctx context.Context, path string, o options) error {
	o.busy = min(o.busy, defaultReadTimeout)
	abs, err := filepath.Abs(path)
	if err != nil {
		return &BlindError{BlindMissing, err.Error()}
	}
	r := newReader(abs, o)
	_, err = r.sight(ctx)
	return errors.Join(err, r.Close())
}
