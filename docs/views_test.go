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

// TestViewsPageQueriesAnswerRightly: of the three ways not to move, each query
// says what the judge says. A step that hangs was begun, which is a row, and
// makes nobody busy.
func TestViewsPageQueriesAnswerRightly(t *testing.T) {
	db := open(t, fixture(t))
	page := sections(read(t, "VIEWS.md"))
	for _, c := range []struct {
		view  string
		query int
		want  []string
	}{
		{"v_run", 0, []string{"export-hung", "export-never", "export-retry", "review-17", "review-18"}},
		{"v_run", 1, []string{"export-retry|stuck"}},
		{"v_run", 2, []string{"5|watcher-1|7"}},
		{"v_stuck", 0, []string{"export-hung|stalled|quiet|1/3", "export-never|stalled|never-started|0/3", "export-retry|stuck|looping|1/3"}},
		{"v_stuck", 1, []string{"busy|1", "silent|2"}},
		{"v_stuck", 2, []string{"export|3"}},
		{"v_episode", 0, []string{"export-hung|stalled|quiet", "export-never|stalled|never-started", "export-retry|stuck|looping"}},
		{"v_episode", 2, []string{"review-17|1"}},
		{"v_step", 0, []string{"export-hung|2", "review-17|1"}},
		{"v_step", 2, []string{"export-retry|2|invoices|2|table is locked"}},
		{"v_family", 1, []string{"export|180s"}},
		{"v_log", 2, []string{"export-hung|pinged", "export-hung|signal.stalled", "export-never|signal.stalled",
			"export-retry|signal.stalled", "review-17|signal.recovered", "review-17|signal.stalled"}},
		{"v_outbox", 2, []string{"file|delivered|5", "page|dead|1", "page|waiting|3"}},
	} {
		query := fenced(page[c.view], "sql")[c.query]
		got := rows(t, db, query)
		for i := range got {
			if c.view == "v_log" {
				got[i] = strings.Join(strings.Split(got[i], "|")[2:4], "|")
			}
		}
		slices.Sort(got)
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s\nfinds %q, want %q and more columns", query, got, c.want)
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
	found := rows(t, db, query)
	for i := range found {
		found[i], _, _ = strings.Cut(found[i], "|")
	}
	return found
}

// rows are what a query finds, the columns as text with bars between them.
func rows(t *testing.T, db *sql.DB, query string) []string {
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
		var text []string
		for i := range values {
			text = append(text, values[i].(*sql.NullString).String)
		}
		found = append(found, strings.Join(text, "|"))
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
