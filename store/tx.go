package store

import (
	"errors"
	"fmt"
)

// tx is the write transaction in progress, as one job sees it.
type tx struct{ w *writer }

// run does one job. It returns an error only when the whole transaction is
// lost; what the job itself was refused is the job's.
func (t *tx) run(j *job) error {
	j.err = j.do(t)
	if j.err == nil || !lost(j.err) {
		return nil
	}
	return j.err
}

// lost reports whether err ends the transaction that it happened in.
func lost(err error) bool {
	for _, ours := range [...]error{ErrFenced, ErrRefused, ErrNoRun, ErrNoStep, ErrExists, ErrOutOfRotation} {
		if errors.Is(err, ours) {
			return false
		}
	}
	return true
}

// exec runs a statement that returns no rows, and says how many rows it
// changed, not counting those that triggers changed. One statement is atomic:
// when it is refused it has changed nothing.
func (t *tx) exec(name string, args ...arg) (int64, error) {
	s, err := t.w.prepared(name)
	if err != nil {
		return 0, err
	}
	return s.exec(args)
}

// each runs a statement and hands each row to fn. The row is overwritten when
// fn returns.
func (t *tx) each(name string, fn func(row []value) error, args ...arg) error {
	return t.w.peek(name, fn, args...)
}

// one runs a statement and hands its first row to fn; found says whether there
// was one.
func (t *tx) one(name string, fn func(row []value), args ...arg) (found bool, err error) {
	err = t.w.peek(name, func(row []value) error {
		if !found {
			fn(row)
		}
		found = true
		return nil
	}, args...)
	return found, err
}

// atomic does several statements of a job as one: when fn returns an error,
// what it did is undone and the other jobs of the transaction are not.
func (t *tx) atomic(fn func() error) error {
	if err := t.w.plain("SAVEPOINT job"); err != nil {
		return err
	}
	if err := fn(); err != nil {
		if lost(err) {
			return err
		}
		if undo := t.w.plain("ROLLBACK TO job"); undo != nil {
			return fmt.Errorf("undo after %w: %v", undo, err)
		}
		return errors.Join(err, t.w.plain("RELEASE job"))
	}
	return t.w.plain("RELEASE job")
}
