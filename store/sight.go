package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
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
	with beside
	lost bool // the file was found gone or replaced; guarded by Reader.mu

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
	before, err := findOnly(o.find, abs)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, notThere(err)
	}
	if err := probe(abs, real, o); err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector(readSource(abs, o))
	if err != nil {
		return nil, translate(err)
	}
	db := sqlx.NewDb(sql.OpenDB(connector), "sqlite")
	db.SetMaxOpenConns(maxReaders)
	db.SetMaxIdleConns(maxReaders)
	s := &sight{db: db, with: besideOf(real), stmts: make(map[string]*sqlx.Stmt)}
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
	is, err := standingOf(s.ask)
	if err == nil {
		err = is.blind()
	}
	if err != nil {
		return blindly(abs, o, err)
	}
	if s.file, err = o.find(abs); err != nil {
		return notThere(err)
	}
	s.with.meet(o.find)
	return nil
}

// ask gives the first column of the first row of a statement.
func (s *sight) ask(text string) (value, error) {
	var got any
	err := s.keep.QueryRowxContext(context.Background(), text).Scan(&got)
	return got, translate(err)
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
	case errors.Is(err, ErrUnavailable):
		return &BlindError{BlindCorrupt, err.Error()}
	}
	return asDamage(err)
}

// asDamage says blind of a trail that lacks what is asked for, such as an index
// that somebody dropped. It can be opened, and says nothing.
func asDamage(err error) error {
	if _, blind := asBlind(err); !blind && err != nil && strings.Contains(err.Error(), "SQL logic error") {
		return &BlindError{BlindCorrupt, err.Error()}
	}
	return err
}

// recall reads the name of the trail and the id of its newest event, and makes
// sure that nobody has brought the schema beyond what is known here.
func (s *sight) recall(ctx context.Context) (instance string, newest int64, err error) {
	st, err := s.stmt(ctx, "recall")
	if err != nil {
		return "", 0, s.beyond(err)
	}
	var version, applied int64
	if err := st.QueryRowContext(ctx).Scan(&instance, &newest, &version, &applied); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return "", 0, &BlindError{BlindNotATrail, "it has no row that names the trail"}
		}
		return "", 0, s.beyond(locked(translate(err)))
	}
	return instance, newest, newerSchema(max(version, applied))
}

// beyond is err, unless it comes of a newer schema, which may have other tables.
func (s *sight) beyond(err error) error {
	if blind, ok := asBlind(err); !ok || blind.Reason != BlindNotATrail {
		return err
	}
	if version, asked := s.ask("PRAGMA user_version"); asked == nil {
		return or(newerSchema(whole(version)), err)
	}
	return err
}

// sameLog finds what lies beside the file in place. Without it the connections
// see a picture that never changes again.
func (s *sight) sameLog(find func(string) (fileID, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.with.same(find); err != nil {
		return err
	}
	s.with.meet(find)
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
