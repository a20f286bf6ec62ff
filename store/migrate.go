package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"

	"github.com/progmon/progmon/migrations"
)

// migrate brings the file to the present schema. Processes that come at once
// queue at the lock, and whoever finds the work done goes on.
func (w *writer) migrate(ctx context.Context) error {
	held, err := w.lock.acquire(ctx, w.busy)
	if err != nil {
		return err
	}
	if held {
		defer w.lock.release()
	}
	if is, err := standingOf(w.ask); err != nil || is == current {
		return err
	}
	connector, err := sqlite.NewConnector(dataSource(w.path, "rw", fmt.Sprintf("busy_timeout(%d)", w.busy.Milliseconds()),
		"synchronous(FULL)", "temp_store(MEMORY)"))
	if err != nil {
		return translate(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if err := errors.Join(migrate(ctx, db), translate(db.Close())); err != nil {
		return err
	}
	is, err := standingOf(w.ask)
	return or(err, is.blind())
}

// migrate lays down what is missing of the schema. The journal mode lives in
// the file, so this is the place to set it.
func migrate(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return fmt.Errorf("set the write-ahead log: %w", translate(err))
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, migrations.FS)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("lay down the schema: %w", translate(err))
	}
	return nil
}
