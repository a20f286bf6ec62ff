package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"modernc.org/sqlite"
)

// openWriter opens the connection that writes, and lays down the schema where
// the file is new. The file exists.
func openWriter(ctx context.Context, abs string, o options) (*writer, error) {
	// SQLite on Linux syncs with fdatasync where its build found it; this one
	// has to be told. Where there is no such call it stays with fsync.
	_, _ = sqlite.Fdatasync(true)
	info, err := o.stat(abs)
	if err != nil {
		return nil, notThere(err)
	}
	file, err := findOnly(o.find, abs)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, notThere(err)
	}
	c, err := connect(abs, dataSource(abs, "rw", "busy_timeout("+strconv.FormatInt(o.busy.Milliseconds(), 10)+")",
		"synchronous(FULL)", "temp_store(MEMORY)", "foreign_keys(1)", "recursive_triggers(1)"))
	if err != nil {
		return nil, locked(err)
	}
	w := &writer{conn: c, busy: o.busy, find: o.find, file: file, with: besideOf(real), read: readSource(abs, o)}
	w.idle.L = &w.mu
	is, err := standingOf(w.ask)
	if err == nil {
		w.lock = openLock(real, info.Mode(), o.polls)
		err = w.ready(ctx, is)
	}
	if err != nil {
		w.lock.close()
		return nil, errors.Join(locked(err), c.close())
	}
	return w, nil
}

// ready brings the file to the present schema, or says why it cannot be used.
func (w *writer) ready(ctx context.Context, is standing) error {
	if is == fresh || is == older {
		if err := w.migrate(ctx); err != nil {
			return err
		}
	}
	mode, err := w.ask("PRAGMA journal_mode")
	if err != nil {
		return err
	}
	if mode != "wal" {
		if mode, err = w.ask("PRAGMA journal_mode = WAL"); err != nil {
			return err
		}
		if mode != "wal" {
			return &refusal{ErrUnavailable, fmt.Sprintf("%s cannot have a write-ahead log here (journal_mode is %v)", w.path, mode)}
		}
	}
	// From here on waits are ours: they end with their context.
	if err := w.plain("PRAGMA busy_timeout = 0"); err != nil {
		return err
	}
	w.with.meet(w.find)
	return w.present()
}

// ask runs a statement of its own text and gives the first column of its
// first row.
func (c *conn) ask(text string) (value, error) {
	s, err := c.prepare(text)
	if err != nil {
		return nil, err
	}
	var got value
	err = s.each(func(row []value) error { got = row[0]; return nil }, nil)
	return got, or(err, translate(s.prepared.Close()))
}

// locked says blind where only busy is known: another process holds the file
// and lets nobody read.
func locked(err error) error {
	if errors.Is(err, ErrBusy) {
		return &BlindError{BlindLocked, "another process holds it and lets nobody read"}
	}
	return err
}

// notThere is the blindness for a file that stat did not find.
func notThere(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &BlindError{BlindPermission, err.Error()}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &BlindError{BlindMissing, "there is no such file"}
	case errors.Is(err, syscall.ELOOP):
		return &BlindError{BlindNotATrail, "it is a symbolic link that leads back to itself"}
	}
	return &BlindError{BlindMissing, err.Error()}
}

// findOnly identifies the file under path, which must be its only name: SQLite
// keeps a write-ahead log beside each name of a file, so what is written by one
// is not there by the other, and may be lost.
func findOnly(find func(string) (fileID, error), path string) (fileID, error) {
	id, err := find(path)
	switch {
	case err != nil:
		return fileID{}, notThere(err)
	case id.names > 1:
		if kind := noFile(path); kind != "" {
			return fileID{}, &BlindError{BlindNotATrail, kind}
		}
		return fileID{}, &BlindError{BlindNotATrail, fmt.Sprintf(
			"it is one of %d names of a file (hard links), and each has a write-ahead log of its own, which the other "+
				"does not see: leave it one name, or use a symbolic link", id.names)}
	}
	return id, nil
}

// noFile says what lies under path when that is no regular file. A directory has
// several names too: its own, and those in it.
func noFile(path string) (kind string) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return kindOfFile(info.Mode())
	}
	return ""
}

// sameFile finds first still under path, by stat alone: to open and close the
// file would drop the locks that SQLite holds on it.
func sameFile(find func(string) (fileID, error), path string, first fileID) error {
	now, err := findOnly(find, path)
	if err != nil {
		switch blind, ok := asBlind(err); {
		case ok && blind.Reason == BlindMissing:
			return &BlindError{BlindReplaced, "the file was deleted or moved while it was open"}
		case ok && blind.Reason == BlindNotATrail:
			if kind := noFile(path); kind != "" {
				return &BlindError{BlindReplaced, kind + ", and was a file when it was opened"}
			}
		}
		return err
	}
	if !first.same(now) {
		return &BlindError{BlindReplaced, "another file lies under its path than the one that was opened"}
	}
	return nil
}
