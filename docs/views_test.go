package docs_test

import (
	"database/sql"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// TestViewsPageDescribesEveryView: each view of the schema has its section,
// with exactly its columns in order, and three queries.
func TestViewsPageDescribesEveryView(t *testing.T) {
	db := open(t, fixture(t))
	views := column(t, db, `SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name`)
	page := sections(read(t, "VIEWS.md"))
	for _, view := range views {
		section, ok := page[view]
		if !ok {
			t.Errorf("VIEWS.md has no section %q", "## "+view)
			continue
		}
		got := columnsOf(section)
		want := column(t, db, `SELECT name FROM pragma_table_info('`+view+`') ORDER BY cid`)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("VIEWS.md says that %s has the columns %v; it has %v", view, got, want)
		}
		if n := len(fenced(section, "sql")); n != 3 {
			t.Errorf("VIEWS.md has %d queries of %s, want 3", n, view)
		}
		delete(page, view)
	}
	for heading := range page {
		t.Errorf("VIEWS.md has a section %q that is no view", heading)
	}
}

// TestViewsPageQueriesRun: each query of the page finds something in the
// fixture, by our own engine and by the sqlite3 shell where there is one.
func TestViewsPageQueriesRun(t *testing.T) {
	path := fixture(t)
	db := open(t, path)
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Log("there is no sqlite3 shell here: the queries run by our own engine only")
	}
	for _, query := range fenced(read(t, "VIEWS.md"), "sql") {
		if rows := column(t, db, query); len(rows) == 0 {
			t.Errorf("no rows: %s", query)
		}
		if shell == "" {
			continue
		}
		out, err := exec.Command(shell, "-readonly", "-bail", path, query).CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Errorf("sqlite3: %v %s\n%s", err, out, query)
		}
	}
}

// fixture is a trail with testdata/fixture.sql in it.
func fixture(t *testing.T) string {
	t.Helper()
	path := schema(t)
	if _, err := open(t, path).Exec(read(t, "../testdata/fixture.sql")); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// column is the first column of what a query finds, as text.
func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Errorf("%v\n%s", err, query)
		return nil
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for rows.Next() {
		values := make([]any, len(names))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		found = append(found, values[0].(*sql.NullString).String)
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%v\n%s", err, query)
	}
	return found
}

// columnsOf are the names in the first cell of each row of a page's tables.
func columnsOf(section string) []string {
	var names []string
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[2:], "|")
		for i, piece := range strings.Split(cell, "`") {
			if i%2 == 1 {
				names = append(names, piece)
			}
		}
	}
	return names
}

// sections are the parts of a page under its second-level headings.
func sections(page string) map[string]string {
	found := map[string]string{}
	for _, part := range strings.Split("\n"+page, "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		found[heading] = body
	}
	return found
}

// fenced are the code blocks of a page whose fence says lang.
func fenced(page, lang string) []string {
	var found []string
	for _, part := range strings.Split("\n"+page, "\n```"+lang+"\n")[1:] {
		body, _, _ := strings.Cut(part, "\n```")
		found = append(found, body)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
