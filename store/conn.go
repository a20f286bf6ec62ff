package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"modernc.org/sqlite"
)

// value is what the driver gives and takes: int64, float64, string, []byte or
// nil.
type value = driver.Value

// arg is a parameter of a statement: :name in its text.
type arg struct {
	name string
	v    value
}

// conn is one connection of the driver with its prepared statements. It is
// spoken to without database/sql, whose own transaction costs a goroutine and
// two switches a step.
type conn struct {
	path  string
	raw   driver.Conn
	stmts map[string]*stmt
}

// stmt is a prepared statement with the order of its parameters.
type stmt struct {
	prepared interface {
		driver.StmtExecContext
		driver.StmtQueryContext
		Close() error
	}
	names []string
	args  []driver.NamedValue // reused: a connection does one thing at a time
	row   []value
}

// connect opens a connection on its own.
func connect(abs, dsn string) (*conn, error) {
	raw, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, translate(err)
	}
	return &conn{path: abs, raw: raw, stmts: make(map[string]*stmt, 16)}, nil
}

// begin, commit and rollback frame a transaction that takes the write lock at
// its start.
func (c *conn) begin() error    { return c.plain("BEGIN IMMEDIATE") }
func (c *conn) commit() error   { return c.plain("COMMIT") }
func (c *conn) rollback() error { return c.plain("ROLLBACK") }

// plain runs a statement that is its own text and has no parameters.
func (c *conn) plain(text string) error {
	s := c.stmts[text]
	if s == nil {
		var err error
		if s, err = c.prepare(text); err != nil {
			return err
		}
		c.stmts[text] = s
	}
	_, err := s.exec(nil)
	return err
}

// prepared is the statement of queries/NAME.sql, prepared once.
func (c *conn) prepared(name string) (*stmt, error) {
	if s := c.stmts[name]; s != nil {
		return s, nil
	}
	s, err := c.prepare(query(name))
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", name, err)
	}
	c.stmts[name] = s
	return s, nil
}

func (c *conn) prepare(text string) (*stmt, error) {
	p, err := c.raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), text)
	if err != nil {
		return nil, translate(err)
	}
	s := &stmt{names: parameters(text)}
	s.prepared = p.(interface {
		driver.StmtExecContext
		driver.StmtQueryContext
		Close() error
	})
	s.args = make([]driver.NamedValue, len(s.names))
	return s, nil
}

// parameters are the :names in a statement, in the order in which SQLite
// numbers them: by first appearance.
func parameters(text string) []string {
	var names []string
next:
	for i := 0; i < len(text); i++ {
		if text[i] != ':' {
			continue
		}
		j := i + 1
		for j < len(text) && (text[j] == '_' || 'a' <= text[j] && text[j] <= 'z') {
			j++
		}
		name := text[i+1 : j]
		i = j - 1
		for _, n := range names {
			if n == name {
				continue next
			}
		}
		names = append(names, name)
	}
	return names
}

// bind puts args in the statement's order.
func (s *stmt) bind(args []arg) error {
next:
	for i, name := range s.names {
		for k := range args {
			if args[k].name == name {
				s.args[i] = driver.NamedValue{Name: name, Ordinal: i + 1, Value: args[k].v}
				continue next
			}
		}
		return fmt.Errorf("store: a statement lacks its parameter %q", name)
	}
	return nil
}

func (s *stmt) exec(args []arg) (int64, error) {
	if err := s.bind(args); err != nil {
		return 0, err
	}
	res, err := s.prepared.ExecContext(context.Background(), s.args)
	if err != nil {
		return 0, translate(err)
	}
	n, err := res.RowsAffected()
	return n, translate(err)
}

// peek runs a statement outside of any job's care: it hands each row to fn.
func (c *conn) peek(name string, fn func(row []value) error, args ...arg) error {
	s, err := c.prepared(name)
	if err != nil {
		return err
	}
	return s.each(fn, args)
}

func (s *stmt) each(fn func(row []value) error, args []arg) (err error) {
	if err := s.bind(args); err != nil {
		return err
	}
	rows, err := s.prepared.QueryContext(context.Background(), s.args)
	if err != nil {
		return translate(err)
	}
	defer func() { err = or(err, translate(rows.Close())) }()
	if s.row == nil {
		s.row = make([]value, len(rows.Columns()))
	}
	for {
		switch err := rows.Next(s.row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return translate(err)
		}
		if err := fn(s.row); err != nil {
			return err
		}
	}
}

func (c *conn) close() error {
	var err error
	for _, s := range c.stmts {
		err = errors.Join(err, translate(s.prepared.Close()))
	}
	c.stmts = nil
	return errors.Join(err, translate(c.raw.Close()))
}
