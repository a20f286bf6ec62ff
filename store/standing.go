package store

import (
	"fmt"

	"github.com/progmon/progmon/migrations"
)

// standing says what kind of file this is to us.
type standing int

const (
	current standing = iota
	fresh            // nothing in it yet
	older
)

// standingOf reads what a database says of itself; ask gives the first column
// of the first row of a statement. One that nothing is in yet is a new file,
// and what a migration leaves that was killed before its one transaction: the
// mode of the log, and goose's table of versions that says none was applied.
func standingOf(ask func(text string) (value, error)) (standing, error) {
	app, err := ask("PRAGMA application_id")
	if err != nil {
		return 0, locked(err)
	}
	version, err := ask("PRAGMA user_version")
	if err != nil {
		return 0, locked(err)
	}
	a, v := whole(app), whole(version)
	switch {
	case a == 0 && v == 0:
		if begun, err := nothingIn(ask); err != nil || begun {
			return fresh, locked(err)
		}
		fallthrough
	case a != migrations.ApplicationID:
		return 0, &BlindError{BlindNotATrail, fmt.Sprintf("it is another program's database (application_id %d)", a)}
	case v < migrations.Version:
		n, err := ask(query("schema_begun"))
		if err == nil && whole(n) < 4 {
			err = &BlindError{BlindNotATrail, "it says that it is a trail, and has not the tables of one"}
		}
		return older, locked(err)
	}
	if err := newerSchema(v); err != nil {
		return 0, err
	}
	applied, err := ask(query("schema_applied"))
	if err != nil {
		return 0, locked(err)
	}
	return current, newerSchema(whole(applied))
}

// blind is why a database of that standing cannot be read, nil for one that can.
func (is standing) blind() error {
	switch is {
	case fresh:
		return &BlindError{BlindEmpty, "it is a database without tables"}
	case older:
		return &BlindError{BlindOlder, "its schema is older than this progmon's: one that writes to it brings it forward"}
	}
	return nil
}

// nothingIn reports whether a database without a mark has no table but that of
// goose, and no version in it.
func nothingIn(ask func(text string) (value, error)) (bool, error) {
	n, err := ask("SELECT count(*) FROM sqlite_schema WHERE tbl_name NOT IN ('goose_db_version', 'sqlite_sequence')")
	if err != nil || whole(n) > 0 {
		return false, err
	}
	n, err = ask("SELECT count(*) FROM sqlite_schema WHERE name = 'goose_db_version'")
	if err != nil || whole(n) == 0 {
		return true, err
	}
	n, err = ask(query("schema_applied"))
	return whole(n) == 0, err
}

// newerSchema is the blindness for a schema of that version, if it is one.
func newerSchema(version int64) error {
	if version <= migrations.Version {
		return nil
	}
	return &BlindError{BlindNewer, fmt.Sprintf(
		"its schema is version %d and this progmon knows %d: use a newer progmon", version, migrations.Version)}
}
