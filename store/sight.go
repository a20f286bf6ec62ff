package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
)

// maxReaders is how many connections a Reader has at most.
const maxReaders = 4

// sight is one file, opened for reading.
type sight struct {
	db   *sqlx.DB
	file fileID
	wal  *fileID // nil where there is none
	lost bool    // the file was found gone or replaced; guarded by Reader.mu

	// keep stays open as long as the sight: it keeps the write-ahead log in
	// place, and PRAGMA data_version compares only on one connection.
	keep *sqlx.Conn

	view view // where looks read

	mu    sync.Mutex
	stmts map[string]*sqlx.Stmt
}

// openSight opens the file under the absolute path, or says why it is blind.
func openSight(abs string, o options) (*sight, error) {
	info, err := o.stat(abs)
	switch {
	case err != nil:
		return nil, notThere(err)
	case !info.Mode().IsRegular():
		return nil, &BlindError{BlindNotATrail, kindOfFile(info.Mode())}
	case info.Size() == 0:
		return nil, &BlindError{BlindEmpty, "the file has no bytes"}
	}
	before, err := o.find(abs)
	if err != nil {
		return nil, notThere(err)
	}
	connector, err := sqlite.NewConnector(readSource(abs, o))
	if err != nil {
		return nil, translate(err)
	}
	db := sqlx.NewDb(sql.OpenDB(connector), "sqlite")
	db.SetMaxOpenConns(maxReaders)
	db.SetMaxIdleConns(maxReaders)
	s := &sight{db: db, stmts: make(map[string]*sqlx.Stmt)}
	if err := s.begin(abs, o); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if !before.same(s.file) {
		return nil, errors.Join(&BlindError{BlindReplaced, "the file was replaced while it was being opened"}, s.close())
	}
	return s, nil
}

// readSource is the driver's name for the file, for a connection that reads.
func readSource(abs string, o options) string {
	return dataSource(abs, "ro", "busy_timeout("+strconv.FormatInt(o.busy.Milliseconds(), 10)+")",
		"query_only(1)", "temp_store(MEMORY)")
}

// begin makes the connection that is kept, and reads what the file is.
func (s *sight) begin(abs string, o options) error {
	ctx := context.Background()
	var err error
	if s.keep, err = s.db.Connx(ctx); err != nil {
		return blindly(abs, o, err)
	}
	var app, version, tables int64
	if err := s.keep.GetContext(ctx, &app, "PRAGMA application_id"); err != nil {
		return blindly(abs, o, err)
	}
	if err := s.keep.GetContext(ctx, &version, "PRAGMA user_version"); err != nil {
		return blindly(abs, o, err)
	}
	if app == 0 && version == 0 {
		if err := s.keep.GetContext(ctx, &tables, "SELECT count(*) FROM sqlite_schema"); err != nil {
			return blindly(abs, o, err)
		}
	}
	is, err := judgeFile(app, version, tables)
	switch {
	case err != nil:
		return err
	case is == fresh:
		return &BlindError{BlindEmpty, "it is a database without tables"}
	case is == older:
		return &BlindError{BlindOlder, fmt.Sprintf("its schema is version %d: a progmon that writes to it brings it forward", version)}
	}
	if s.file, err = o.find(abs); err != nil {
		return notThere(err)
	}
	if wal, err := o.find(abs + "-wal"); err == nil {
		s.wal = &wal
	}
	return nil
}

// blindly turns what the driver said when the file was opened into blindness.
func blindly(abs string, o options, err error) error {
	err = locked(translate(err))
	var blind *BlindError
	switch {
	case errors.As(err, &blind) && blind.Reason == BlindPermission:
		// SQLite says "unable to open" for a file that went away, too.
		if _, err := o.stat(abs); err != nil {
			return notThere(err)
		}
		return blind
	case errors.As(err, &blind):
		return err
	case errors.Is(err, ErrUnavailable), strings.HasPrefix(err.Error(), "SQL logic error"):
		return &BlindError{BlindCorrupt, err.Error()}
	}
	return err
}

// recall reads the name of the trail and the id of its newest event, and makes
// sure that nobody has brought the schema beyond what is known here.
func (s *sight) recall(ctx context.Context) (instance string, newest int64, err error) {
	st, err := s.stmt(ctx, "recall")
	if err != nil {
		return "", 0, err
	}
	var version int64
	if err := st.QueryRowContext(ctx).Scan(&instance, &newest, &version); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return "", 0, &BlindError{BlindNotATrail, "it has no row that names the trail"}
		}
		return "", 0, locked(translate(err))
	}
	return instance, newest, newerSchema(version)
}

// sameLog finds the write-ahead log in place. Without it the connections see a
// picture that never changes again.
func (s *sight) sameLog(find func(string) (fileID, error), abs string) error {
	now, err := find(abs + "-wal")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.wal == nil && err == nil:
		s.wal = &now
	case s.wal != nil && (err != nil || !s.wal.same(now)):
		return &BlindError{BlindReplaced, "the write-ahead log " + abs + "-wal was deleted or replaced while it was open"}
	}
	return nil
}

// stmt is the statement of queries/NAME.sql, prepared once for this file.
func (s *sight) stmt(ctx context.Context, name string) (*sqlx.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.stmts[name]; st != nil {
		return st, nil
	}
	st, err := s.db.PreparexContext(ctx, query(name))
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", name, locked(translate(err)))
	}
	s.stmts[name] = st
	return st, nil
}

func (s *sight) close() error {
	var err error
	s.mu.Lock()
	for _, st := range s.stmts {
		err = errors.Join(err, st.Close())
	}
	s.mu.Unlock()
	if s.keep != nil {
		err = errors.Join(err, s.keep.Close())
	}
	err = errors.Join(err, s.view.close())
	return translate(errors.Join(err, s.db.Close()))
}
