package store

import (
	"context"
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// translate turns an error of the driver into one of ours. It is the only
// place that knows the driver's codes and wording. Any other error, and one
// that was translated before, comes back as it is.
func translate(err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return err
	}
	said := driverWords(e.Error())
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT:
		return refused(said)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return &refusal{ErrBusy, ErrBusy.Error() + ": " + said}
	case sqlite3.SQLITE_FULL:
		return &refusal{ErrNoSpace, ErrNoSpace.Error() + ": " + said}
	case sqlite3.SQLITE_CORRUPT:
		return &BlindError{BlindCorrupt, said}
	case sqlite3.SQLITE_NOTADB:
		return &BlindError{BlindNotATrail, said}
	case sqlite3.SQLITE_READONLY:
		if e.Code() == sqlite3.SQLITE_READONLY_DBMOVED {
			return &BlindError{BlindReplaced, "the file was moved or deleted while it was open"}
		}
		if e.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
			return &BlindError{BlindNotATrail, "a write was cut short that only a writer can take back, and no trail is written so"}
		}
		return &BlindError{BlindPermission, said}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return &BlindError{BlindPermission, said}
	case sqlite3.SQLITE_IOERR:
		switch e.Code() {
		case sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_WRITE:
			return &refusal{ErrNoSpace, ErrNoSpace.Error() + ": " + said}
		case sqlite3.SQLITE_IOERR_SHORT_READ:
			// Of the database itself a short read is corruption to SQLite.
			return &BlindError{BlindReplaced, "the write-ahead log was deleted or cut short while somebody had it open"}
		case sqlite3.SQLITE_IOERR_CORRUPTFS:
			return &BlindError{BlindCorrupt, said}
		}
		return &refusal{ErrUnavailable, ErrUnavailable.Error() + ": " + said}
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(said, "no such table: ") || strings.Contains(said, "no such column: ") {
			return &BlindError{BlindNotATrail, "its tables are not those of a trail: " + said}
		}
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	}
	return err
}

// refused says which rule of the schema a write broke, in the rule's words.
func refused(said string) error {
	switch {
	case strings.HasPrefix(said, "fenced: "):
		return &refusal{ErrFenced, said}
	case strings.HasPrefix(said, "a run id is used once"):
		return &refusal{ErrExists, said}
	case strings.HasPrefix(said, "no such run"):
		return &refusal{ErrNoRun, said}
	}
	if rule, ok := strings.CutPrefix(said, "CHECK constraint failed: "); ok {
		return &refusal{ErrRefused, strings.ReplaceAll(rule, "_", " ")}
	}
	return &refusal{ErrRefused, said}
}

// driverWords is what SQLite said, without what the driver put around it.
func driverWords(s string) string {
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(s, ")") {
		s = s[:i]
	}
	s = strings.TrimPrefix(s, "constraint failed: ")
	return s
}
