package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// asBlind is the BlindError in err, if there is one.
func asBlind(err error) (*BlindError, bool) {
	var blind *BlindError
	ok := errors.As(err, &blind)
	return blind, ok
}

// file has SQLite look at its own structure.
func (k *verifier) file() error {
	return k.scan("PRAGMA integrity_check", func(row []value) error {
		// What it says of CHECKs is said by checks, with the row.
		said := fmt.Sprint(row[0])
		if said != "ok" && !strings.HasPrefix(said, "CHECK constraint failed") {
			k.v.add(Finding{Rule: RuleFile, Detail: said})
		}
		return nil
	})
}

// keys finds rows that name another row that is not there.
func (k *verifier) keys() error {
	return k.scan("PRAGMA foreign_key_check", func(row []value) error {
		k.v.add(Finding{Rule: RuleKey, Detail: fmt.Sprintf("a row of %v names a row of %v that is not there", row[0], row[2])})
		return nil
	})
}

// object is one entry of the schema.
type object struct{ kind, name, table, text string }

// schemaOf is the schema of our tables, by kind and name.
func schemaOf(each func(fn func(o object)) error) (map[string]object, error) {
	all := map[string]object{}
	err := each(func(o object) {
		if !strings.HasPrefix(o.name, "sqlite_") && !strings.HasPrefix(o.table, "goose_") {
			all[o.kind+" "+o.name] = o
		}
	})
	return all, err
}

// freshSchema is the schema as the migrations make it.
func freshSchema(ctx context.Context) (want map[string]object, err error) {
	connector, err := sqlite.NewConnector("file:fresh?mode=memory&_pragma=temp_store(2)")
	if err != nil {
		return nil, translate(err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	defer func() { err = or(err, translate(db.Close())) }()
	if err := migrate(ctx, db); err != nil {
		return nil, err
	}
	return schemaOf(func(fn func(o object)) error {
		rows, err := db.QueryContext(ctx, query("schema"))
		if err != nil {
			return translate(err)
		}
		defer rows.Close()
		for rows.Next() {
			var o object
			if err := rows.Scan(&o.kind, &o.name, &o.table, &o.text); err != nil {
				return translate(err)
			}
			fn(o)
		}
		return translate(rows.Err())
	})
}

// schema compares every table, trigger, index and view with the migration's,
// to the letter. What else a person has added is theirs, but a trigger on one
// of our tables is not.
func (k *verifier) schema() error {
	want, err := freshSchema(k.ctx)
	if err != nil {
		return err
	}
	got, err := schemaOf(func(fn func(o object)) error {
		return k.read("schema", func(row []value) error {
			text, _ := row[3].(string)
			fn(object{fmt.Sprint(row[0]), fmt.Sprint(row[1]), fmt.Sprint(row[2]), text})
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(want) {
		switch o, there := got[name]; {
		case !there:
			k.v.add(Finding{Rule: RuleSchema, Detail: "the " + name + " is missing"})
		case o.text != want[name].text:
			k.v.add(Finding{Rule: RuleSchema, Detail: "the " + name + " is not the one of the migration"})
		}
	}
	for _, name := range sortedKeys(got) {
		o := got[name]
		_, known := want[name]
		_, ours := want["table "+o.table]
		if !known && o.kind == "trigger" && ours {
			k.v.add(Finding{Rule: RuleSchema, Detail: fmt.Sprintf("the %s on table %s is not of the migration", name, o.table)})
		}
	}
	return nil
}

func sortedKeys(m map[string]object) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checks evaluates every named CHECK of our tables again for every row: a
// client can switch them off.
func (k *verifier) checks() error {
	want, err := freshSchema(k.ctx)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(want) {
		o := want[name]
		named := namedChecks(o.text)
		if o.kind != "table" || len(named) == 0 {
			continue
		}
		if err := k.checkTable(o.name, named); err != nil {
			if blind, ok := asBlind(err); ok && blind.Reason != BlindNotATrail || k.ctx.Err() != nil {
				return err
			}
			// The table is not as it was: schema says so.
		}
	}
	return nil
}

// namedCheck is a CHECK with its name and its expression.
type namedCheck struct{ name, expr string }

// namedChecks are the CHECKs in the text of a table.
func namedChecks(text string) (all []namedCheck) {
	for {
		_, rest, ok := strings.Cut(text, "CONSTRAINT ")
		if !ok {
			return all
		}
		text = rest
		name, rest, ok := strings.Cut(rest, " CHECK (")
		if !ok || strings.ContainsAny(name, " \n(") {
			continue
		}
		depth, end := 1, 0
		for quoted := false; end < len(rest) && depth > 0; end++ {
			switch c := rest[end]; {
			case c == '\'':
				quoted = !quoted
			case quoted:
			case c == '(':
				depth++
			case c == ')':
				depth--
			}
		}
		all = append(all, namedCheck{name, rest[:end-1]})
	}
}

// rowNames says how a row of a table is named in a finding: its run, its step
// and its event, as SQL.
func rowNames(table string) (run, step, event string) {
	switch table {
	case "event":
		return "run_id", "step", "id"
	case "step":
		return "run_id", "pos", "NULL"
	case "run":
		return "id", "NULL", "NULL"
	case "cursor", "verdict":
		return "run_id", "NULL", "NULL"
	case "delivery":
		return "run_id", "NULL", "event_id"
	}
	return "NULL", "NULL", "NULL"
}

// checkTable names the rows of a table for which a CHECK does not hold.
func (k *verifier) checkTable(table string, named []namedCheck) error {
	var which, any strings.Builder
	for i, c := range named {
		fmt.Fprintf(&which, " WHEN NOT (%s) THEN %d", c.expr, i)
		if i > 0 {
			any.WriteString(" OR ")
		}
		fmt.Fprintf(&any, "NOT (%s)", c.expr)
	}
	run, step, event := rowNames(table)
	return k.scan(fmt.Sprintf("SELECT %s, %s, %s, CASE%s END FROM %s WHERE %s", run, step, event, which.String(), table, any.String()),
		func(row []value) error {
			f := Finding{Rule: RuleCheck, Step: whole(row[1]), FirstEvent: whole(row[2]), LastEvent: whole(row[2])}
			f.Run, _ = row[0].(string)
			f.Detail = fmt.Sprintf("a row of %s: %s", table, strings.ReplaceAll(named[whole(row[3])].name, "_", " "))
			k.v.add(f)
			return nil
		})
}

// whole is v as a number, 0 for anything else.
func whole(v value) int64 {
	n, _ := v.(int64)
	return n
}
