package store

import (
	"context"
	"errors"
	"fmt"
)

// Store is a trail opened for writing. It is safe for use by many goroutines,
// and what they write at the same time shares a transaction. Every reading
// method of Reader works on it too.
type Store struct {
	*Reader
	w  *writer
	in *joint // of Together: the transaction that its writes share; else nil
}

// Open opens the trail at path for writing. It makes the file (mode 0600) and
// its directory (0700) where they are not there, and lays down the schema; it
// never writes into another program's database. It returns an error that is
// ErrCannotCreate, ErrNoSpace, ErrBusy or ErrUnavailable; for a file that is
// there and cannot be used, a *BlindError, which is an ErrUnavailable too.
//
// The caller must Close the Store.
func Open(ctx context.Context, path string, opts ...Option) (*Store, error) {
	o := newOptions(opts, defaultWriteTimeout)
	if o.existing {
		if err := lookFirst(ctx, path, o); err != nil {
			return nil, fmt.Errorf("open the trail %q: %w", path, err)
		}
	}
	abs, err := prepare(path, o)
	if err != nil {
		return nil, fmt.Errorf("open the trail %q: %w", path, err)
	}
	w, err := openWriter(ctx, abs, o)
	if err != nil {
		return nil, fmt.Errorf("open the trail %q: %w", path, err)
	}
	o.busy = min(o.busy, defaultReadTimeout)
	s := &Store{Reader: newReader(abs, o), w: w}
	s.Reader.first = &w.file
	if err := s.anchor(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the trail %q: %w", path, err), s.Close())
	}
	return s, nil
}

// Check is Reader.Check for what is open for writing too.
func (s *Store) Check(ctx context.Context) error {
	if err := s.Reader.Check(ctx); err != nil {
		return err
	}
	return s.w.present()
}

// Close waits for the writes in progress, then closes the trail. Calls that
// come later return ErrClosed.
func (s *Store) Close() error {
	return errors.Join(s.Reader.Close(), s.w.close())
}

// write runs fn in the next write transaction, together with what other
// goroutines ask for at the same time, and returns when it is durable. What fn
// did is undone alone when fn returns an error. When ctx ends first its error
// is returned, and what fn did may still land.
func (s *Store) write(ctx context.Context, fn func(*tx) error) error {
	return s.share(ctx, fn, nil)
}

// share is write for what can be shared, where plain says so.
func (s *Store) share(ctx context.Context, fn func(*tx) error, plain *completion) error {
	if s.in != nil {
		return s.in.do(ctx, fn)
	}
	err := s.w.do(ctx, fn, plain)
	if errors.Is(err, ErrNoSpace) {
		return s.outOfIDs(ctx, err)
	}
	return err
}

// noMoreIDs is beyond the ids that a log can have come to by itself.
const noMoreIDs = int64(1) << 62

// outOfIDs tells a log without ids from a disk without space, which SQLite calls
// by one name: the last id on record was set by hand.
func (s *Store) outOfIDs(ctx context.Context, full error) error {
	var last, newest num
	err := s.view(ctx, func(c *conn) error {
		return c.peek("verify_sequence", func(row []value) error {
			last.take(row[0])
			newest.take(row[1])
			return nil
		})
	})
	if err != nil || last.n < noMoreIDs {
		return full
	}
	return &refusal{ErrUnavailable, fmt.Sprintf("event ids are given by the database and never come back, and none is left: "+
		"somebody set the last one to %d in sqlite_sequence, and the newest event is %d; %s", last.n, newest.n, resetIDs)}
}

// resetIDs is how ids are had again.
const resetIDs = "to go on: UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM event) WHERE name = 'event'"

// anchor puts the reading of the clocks on record with which the trail was
// first opened for writing in this boot.
func (s *Store) anchor(ctx context.Context) error {
	now := s.opt.now()
	boot := arg{"boot_id", now.Boot}
	known := false
	err := s.w.peek("anchored", func([]value) error { known = true; return nil }, boot)
	if err != nil || known {
		return err
	}
	return s.write(ctx, func(t *tx) error {
		_, err := t.exec("anchor", boot, arg{"wall_ms", now.Wall.UnixMilli()}, arg{"mono_ms", now.Mono.Milliseconds()})
		return err
	})
}
