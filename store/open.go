package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"

	"modernc.org/sqlite"

	"github.com/progmon/progmon/migrations"
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
	file, err := o.find(abs)
	if err != nil {
		return nil, notThere(err)
	}
	c, err := connect(abs, dataSource(abs, "rw", "busy_timeout("+strconv.FormatInt(o.busy.Milliseconds(), 10)+")",
		"synchronous(FULL)", "temp_store(MEMORY)", "foreign_keys(1)", "recursive_triggers(1)"))
	if err != nil {
		return nil, locked(err)
	}
	w := &writer{conn: c, busy: o.busy, find: o.find, file: file, log: abs + "-wal"}
	w.idle.L = &w.mu
	is, err := w.standing()
	if err == nil {
		w.lock = openLock(abs, info.Mode(), o.polls)
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
	return sameFile(w.find, w.path, w.file)
}

// standing says what kind of file this is to us.
type standing int

const (
	current standing = iota
	fresh            // nothing in it yet
	older
)

// standing reads what the file says of itself.
func (c *conn) standing() (standing, error) {
	app, err := c.ask("PRAGMA application_id")
	if err != nil {
		return 0, locked(err)
	}
	version, err := c.ask("PRAGMA user_version")
	if err != nil {
		return 0, locked(err)
	}
	tables := int64(0)
	if app == int64(0) && version == int64(0) {
		// A migration that was killed leaves goose's own table at most.
		n, err := c.ask("SELECT count(*) FROM sqlite_schema WHERE tbl_name NOT IN ('goose_db_version', 'sqlite_sequence')")
		if err != nil {
			return 0, locked(err)
		}
		tables, _ = n.(int64)
	}
	return judgeFile(app, version, tables)
}

// judgeFile is standing for what application_id, user_version and the number
// of foreign tables say.
func judgeFile(app, version value, tables int64) (standing, error) {
	a, _ := app.(int64)
	v, _ := version.(int64)
	switch {
	case a == 0 && v == 0 && tables == 0:
		return fresh, nil
	case a != migrations.ApplicationID:
		return 0, &BlindError{BlindNotATrail, fmt.Sprintf("it is another program's database (application_id %d)", a)}
	case v > migrations.Version:
		return 0, newerSchema(v)
	case v < migrations.Version:
		return older, nil
	}
	return current, nil
}

// newerSchema is the blindness for a schema of that version, if it is one.
func newerSchema(version int64) error {
	if version <= migrations.Version {
		return nil
	}
	return &BlindError{BlindNewer, fmt.Sprintf(
		"its schema is version %d and this progmon knows %d: use a newer progmon", version, migrations.Version)}
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
	}
	return &BlindError{BlindMissing, err.Error()}
}

// sameFile finds first still under path, by stat alone: to open and close the
// file would drop the locks that SQLite holds on it.
func sameFile(find func(string) (fileID, error), path string, first fileID) error {
	now, err := find(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &BlindError{BlindReplaced, "the file was deleted or moved while it was open"}
		}
		return notThere(err)
	}
	if !first.same(now) {
		return &BlindError{BlindReplaced, "another file lies under its path than the one that was opened"}
	}
	return nil
}
