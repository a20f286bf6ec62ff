package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

// Reader is a trail opened for reading. It never creates, migrates or repairs
// anything (SQLite's own -wal and -shm beside a healthy file excepted), and it
// is safe for use by many goroutines.
type Reader struct {
	path string // absolute
	opt  options

	mu       sync.Mutex
	cur      *sight  // nil until something is read
	first    *fileID // the file that was first opened; nil until then
	instance string  // trail.instance of it, once known
	seen     int64   // the newest event known to have been in it
	gone     error   // why what was open was given up; nil while it is open
	closed   bool
}

func newReader(abs string, o options) *Reader { return &Reader{path: abs, opt: o} }

// OpenReader opens the trail at path for reading. For everything that cannot
// be read it returns a *BlindError within the busy timeout, also when the file
// system does not answer.
//
// The caller must Close the Reader.
func OpenReader(ctx context.Context, path string, opts ...Option) (*Reader, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the trail %q for reading: %w", path, &BlindError{BlindMissing, err.Error()})
	}
	r := newReader(abs, newOptions(opts, defaultReadTimeout))
	if _, err := r.sight(ctx); err != nil {
		return nil, fmt.Errorf("open the trail %q for reading: %w", path, err)
	}
	return r, nil
}

// Path is the absolute path of the database file.
func (r *Reader) Path() string { return r.path }

// Instance is the name that the trail carries since it was made: 32 hex
// digits. Two files with one instance are copies of one trail.
func (r *Reader) Instance(ctx context.Context) (string, error) {
	if _, err := r.sight(ctx); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.instance, nil
}

// Check says whether the trail can still be seen: it returns nil, or a
// *BlindError that says why not. It costs a few stats and one small query, and
// is meant for every look. It finds a file that was deleted or replaced under
// its path, and when the right file is back under it (the same trail, its log
// no shorter than it was seen), it opens that by path, and sight returns.
func (r *Reader) Check(ctx context.Context) error {
	r.mu.Lock()
	cur, first, closed := r.cur, r.first, r.closed
	r.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if cur == nil {
		_, err := r.sight(ctx)
		return err
	}
	err := within(ctx, r.path, r.opt.busy, func() error {
		if err := sameFile(r.opt.find, r.path, *first); err != nil {
			return err
		}
		return cur.sameLog(r.opt.find)
	})
	if err == nil {
		err = r.recall(ctx, cur)
	}
	if err == nil {
		r.mu.Lock()
		cur.lost = false
		r.mu.Unlock()
	}
	var blind *BlindError
	if errors.As(err, &blind) && (blind.Reason == BlindReplaced || blind.Reason == BlindMissing) {
		return r.reopen(ctx, cur, err)
	}
	return err
}

// recall reads the name of the trail and its newest event through cur.
func (r *Reader) recall(ctx context.Context, cur *sight) error {
	id, newest, err := cur.recall(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recognise(id, newest)
}

// recognise refuses a trail that is not the one first seen, or that has lost
// what was seen in it. The caller holds mu.
func (r *Reader) recognise(id string, newest int64) error {
	switch {
	case r.instance == "":
		r.instance = id
	case r.instance != id:
		return &BlindError{BlindReplaced, "another trail lies under its path: instance " + id + " and not " + r.instance}
	case newest < r.seen:
		return &BlindError{BlindReplaced, fmt.Sprintf(
			"an older copy of the trail lies under its path: its log ends at event %d, and %d was seen", newest, r.seen)}
	}
	r.seen = newest
	return nil
}

// reopen opens what lies under the path in place of cur, if it is the right
// file. The look that finds the change still says so: a replacement is told
// once before sight returns. why is what was found.
func (r *Reader) reopen(ctx context.Context, cur *sight, why error) error {
	r.mu.Lock()
	told := cur.lost
	cur.lost = true
	r.mu.Unlock()
	if !told {
		return why
	}
	// What is open goes first: as long as one connection of this process holds a
	// log that was deleted, every new one is given the same.
	r.mu.Lock()
	if r.cur == cur {
		r.cur, r.first, r.gone = nil, nil, why
	}
	r.mu.Unlock()
	if err := cur.close(); err != nil {
		return err
	}
	_, err := r.sight(ctx)
	return err
}

// sight is the open file, opened when it is first needed.
func (r *Reader) sight(ctx context.Context) (*sight, error) {
	r.mu.Lock()
	cur, closed := r.cur, r.closed
	r.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if cur != nil {
		return cur, nil
	}
	next, err := r.look(ctx)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		return nil, or(r.gone, err)
	}
	id, newest, err := next.recall(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
	case r.closed:
		err = ErrClosed
	case r.cur != nil: // another goroutine was quicker
		return r.cur, next.close()
	default:
		err = r.recognise(id, newest)
	}
	if err == nil && r.first != nil {
		err = sameFile(func(string) (fileID, error) { return next.file, nil }, r.path, *r.first)
	}
	if err != nil {
		return nil, errors.Join(err, next.close())
	}
	r.cur, r.first, r.gone = next, &next.file, nil
	return next, nil
}

// look opens the file under the path, and gives up at the deadline.
func (r *Reader) look(ctx context.Context) (*sight, error) {
	var (
		mu       sync.Mutex
		next     *sight
		left     bool
		path     = r.path
		opt      = r.opt
		deadline = 2 * opt.busy // SQLite itself waits for a file that is locked
	)
	err := within(ctx, path, deadline, func() error {
		s, err := openSight(path, opt)
		mu.Lock()
		defer mu.Unlock()
		if err == nil && left {
			return s.close()
		}
		next = s
		return err
	})
	mu.Lock()
	defer mu.Unlock()
	left = true
	if err != nil && next != nil {
		err, next = errors.Join(err, next.close()), nil
	}
	return next, err
}

// Close closes the trail. It may be called more than once.
func (r *Reader) Close() error {
	r.mu.Lock()
	cur := r.cur
	r.cur, r.closed = nil, true
	r.mu.Unlock()
	if cur == nil {
		return nil
	}
	return cur.close()
}
