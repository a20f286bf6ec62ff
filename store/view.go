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
	mu   sync.Mutex
	conn *conn

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
	return locked(fn(v.conn))
}

func (v *view) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conn == nil {
		return nil
	}
	return v.conn.close()
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
