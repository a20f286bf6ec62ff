package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver, to spoil a trail with

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// called runs a command in this process.
func called(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = run(append([]string{"progmon"}, args...), strings.NewReader(""), &out, &errOut)
	return out.String(), errOut.String(), code
}

// hostile lays down a trail with one good run, and with rows that only a client
// can write that has switched the rules off.
func hostile(t *testing.T, spoil ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trail.db")
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Start(t.Context(), store.Declared{Run: "nightly", Total: cursor.Total{N: 7, Known: true}})
	if err == nil {
		_, err = r.Complete(t.Context(), store.Pos(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	rows, err := db.Query("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{"PRAGMA ignore_check_constraints = 1", "PRAGMA foreign_keys = 0"}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		statements = append(statements, "DROP TRIGGER "+name)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	for _, statement := range append(statements, spoil...) {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%.80s: %v", statement, err)
		}
	}
	return path
}

// Field case 67, and rows that are worse: they are listed, escaped, as blind,
// and they hide nothing.
func TestHostileRowsHideNothing(t *testing.T) {
	add := func(id, columns, values string) []string {
		return []string{
			"INSERT INTO run (id) VALUES (" + id + ")",
			"INSERT INTO event (run_id, epoch, kind) VALUES (" + id + ", 1, 'run.started')",
			"INSERT INTO cursor (run_id, epoch_event, start_event, last_event" + columns + ") VALUES (" + id +
				", last_insert_rowid(), last_insert_rowid(), last_insert_rowid()" + values + ")",
		}
	}
	loose := []string{
		"PRAGMA writable_schema = 1",
		"UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, WITHOUT ROWID', 'WITHOUT ROWID'), ') STRICT', ')')",
		"PRAGMA writable_schema = RESET",
	}
	for _, row := range []struct {
		name  string
		spoil []string
		blind string // what the document calls the run; "" when it is no blind one
	}{
		{"a path", add("'../x'", "", ""), "../x"},
		{"a slash", add("'a/b'", "", ""), "a/b"},
		{"a dot", add("'.'", "", ""), "."},
		{"empty", add("''", "", ""), ""},
		{"a flag", add("'-rf'", "", ""), "-rf"},
		{"a newline", add("'x' || char(10) || 'nightly DONE'", "", ""), "x\nnightly DONE"},
		{"a tab", add("'x' || char(9)", "", ""), "x\t"},
		{"a NUL", add("'x' || char(0) || 'y'", "", ""), "x\x00y"},
		{"a screen cleared", add("'x' || char(27) || '[2J' || char(27) || ']0;owned' || char(7)", "", ""), "x\x1b[2J\x1b]0;owned\x07"},
		{"no UTF-8", add("CAST(x'ff41' AS TEXT)", "", ""), "\ufffdA"},
		{"a megabyte", add("replace(hex(zeroblob(500000)), '0', 'a')", "", ""), strings.Repeat("a", 256)},
		{"a position below zero", add("'bad'", ", position", ", -5"), "bad"},
		{"a frontier beyond the position", add("'bad'", ", frontier", ", 9"), "bad"},
		{"an epoch of another run", add("'bad'", ", epoch", ", 12"), "bad"},
		{"no cursor", []string{"INSERT INTO run (id) VALUES ('bad')"}, "bad"},
		{"no run", []string{"INSERT INTO cursor (run_id) VALUES ('bad')",
			"INSERT INTO event (run_id, epoch, kind) VALUES ('bad', 1, 'note')"}, ""},
		{"a blob for a number", append(loose, add("'bad'", ", position", ", x'00ff'")...), "bad"},
		{"a blob for a name", append(loose, add("x'00ff1b'", "", "")...), ""},
		{"text for a number", append(loose, add("'bad'", ", rows_since", ", 'many'")...), "bad"},
		{"stamps beyond all reason", add("'odd'", ", start_ms, advance_ms, last_ms, epoch_ms, hold_ms, hold_for_ms, hold_event",
			", 9223372036854775807, -9223372036854775808, 9223372036854775807, 1, 9223372036854775807, 9223372036854775807, 3"), ""},
		{"an endless reason", append(add("'odd'", "", ""),
			"UPDATE cursor SET hold_event = 3, hold_ms = 1, hold_for_ms = 99999999999999, hold_reason = char(27) || '[31m' || hex(zeroblob(4000000))"), ""},
		{"a total of the largest number", add("'odd'", ", total", ", 9223372036854775807"), ""},
		{"a verdict that is none", []string{"INSERT INTO verdict VALUES ('nightly', -1, char(27) || 'x', hex(zeroblob(300000)), -9, -9, -9, -9, 'no json')"}, ""},
		{"a clock that is none", []string{"DELETE FROM clock", "INSERT INTO clock VALUES (char(27), 1, -5, -7, 9223372036854775807, 9223372036854775807, 9223372036854775807, 9223372036854775807)"}, ""},
		{"a monitor that is none", []string{"INSERT INTO monitor VALUES (char(27) || '[2J', char(10), -1, '', -1, -5, -5, -1, -1, 9223372036854775807, -1, -1, 1, char(27), NULL)"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			path := hostile(t, row.spoil...)
			for _, args := range [][]string{
				{"status", "--all"}, {"show", "nightly"}, {"show", "bad"}, {"show", "odd", "--json"}, {"ready", "odd"},
				{"watch", "--once"}, {"watch", "--once", "--json"},
			} {
				out, errOut, code := called(t, append([]string{"--db", path}, args...)...)
				if code == exitBug {
					t.Fatalf("%q broke: %s", args, errOut)
				}
				plain(t, args, out+errOut)
				if args[len(args)-1] == "--json" {
					jsonOnly(t, args, out)
				}
			}
			out, _, code := called(t, "--db", path, "status", "--json")
			var doc struct {
				Blind []struct{ Source, Reason string }
				Runs  []struct {
					Run, State string
					Position   int64
				}
			}
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("status --json: %v", err)
			}
			healthy := false
			for _, r := range doc.Runs {
				healthy = healthy || r.Run == "nightly" && r.Position == 1
			}
			if !healthy {
				t.Errorf("the good run is not listed: %s", out)
			}
			if row.blind == "" {
				return
			}
			if code != exitBlind || len(doc.Blind) != 1 || doc.Blind[0].Source != row.blind || doc.Blind[0].Reason != store.BlindCorrupt {
				t.Errorf("status --json = %d, blind %.300q, want %.300q corrupt", code, doc.Blind, row.blind)
			}
		})
	}
}

// plain wants text that a terminal obeys in nothing but its newlines.
func plain(t *testing.T, args []string, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q printed what is no text", args)
	}
	for i, r := range text {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			t.Fatalf("%q printed the control character %q in %.60q", args, r, text[max(i-20, 0):])
		}
	}
	if len(text) > 100_000 {
		t.Errorf("%q printed %d bytes", args, len(text))
	}
}

// jsonOnly wants lines that are JSON each.
func jsonOnly(t *testing.T, args []string, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%q printed a line that is no JSON: %.200q", args, line)
		}
	}
}
