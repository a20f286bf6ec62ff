package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWorkersPageSQLRuns: the SQL of the page, in its order, on an empty trail.
func TestWorkersPageSQLRuns(t *testing.T) {
	path := schema(t)
	db := open(t, path)
	page := read(t, "WORKERS.md")
	exec := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Errorf("%v\n%s", err, statement)
		}
	}
	exec(`INSERT INTO run (id, open) VALUES ('crawl', 1)`)
	for _, block := range fenced(page, "sql") {
		exec(block)
	}
	for _, statement := range regexp.MustCompile("\\| `((?:INSERT|UPDATE) [^`]*)` \\|").FindAllStringSubmatch(page, -1) {
		exec(statement[1])
	}
	got := column(t, db, `SELECT run || ' ' || epoch || ' ' || position || ' ' || coalesce(total, '-') FROM v_run ORDER BY run`)
	if want := "crawl 1 1 -,nightly 2 17 4"; strings.Join(got, ",") != want {
		t.Errorf("the page leaves %v, want %s", got, want)
	}
}

// TestWorkersPagePythonRuns: the three lines as they stand, where there is a
// Python to run them.
func TestWorkersPagePythonRuns(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Log("there is no python3 here")
		return
	}
	path := schema(t)
	db := open(t, path)
	if _, err := db.Exec(`INSERT INTO run (id, total) VALUES ('nightly', 1); INSERT INTO step (run_id, pos) VALUES ('nightly', 1)`); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import sqlite3\n"+fenced(read(t, "WORKERS.md"), "python")[0])
	cmd.Dir = filepath.Dir(path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := column(t, db, `SELECT position FROM v_run`); strings.Join(got, ",") != "1" {
		t.Errorf("position = %v after the three lines, want 1", got)
	}
}

// TestWorkersPageQuotesTheRules: a sentence of the page that is no longer a
// rule of the schema would send its reader looking for it.
func TestWorkersPageQuotesTheRules(t *testing.T) {
	rules := read(t, "../migrations/00001_trail.sql")
	section := sections(read(t, "WORKERS.md"))["When the trail says no"]
	rows := regexp.MustCompile("(?m)^\\| `([^`…]*)(?:…)?` \\|").FindAllStringSubmatch(section, -1)
	if len(rows) < 5 {
		t.Fatalf("the page quotes %d sentences, want at least 5", len(rows))
	}
	for _, row := range rows {
		if sentence := strings.TrimSpace(row[1]); sentence != "database is locked" && !strings.Contains(rules, sentence) {
			t.Errorf("no rule says %q", sentence)
		}
	}
}

// schema makes an empty trail out of the migration.
func schema(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trail.db")
	files, err := filepath.Glob("../migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files { // in the order of their numbers
		up, _, _ := strings.Cut(read(t, file), "-- +goose Down")
		if _, err := open(t, path).Exec(up); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestReplacedWorkerIsToldSo: a worker that was only slow writes to a step that
// its successor has finished. "Terminal" would send it on to the next step; it
// must hear that it is fenced.
func TestReplacedWorkerIsToldSo(t *testing.T) {
	db := open(t, schema(t))
	if _, err := db.Exec(`
		INSERT INTO run (id, total) VALUES ('nightly', 1);
		INSERT INTO step (run_id, pos) VALUES ('nightly', 1);
		UPDATE run SET epoch = epoch + 1 WHERE id = 'nightly';
		UPDATE step SET state = 'done', epoch = 2 WHERE run_id = 'nightly' AND pos = 1`); err != nil {
		t.Fatal(err)
	}
	_, err := db.Exec(`UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'nightly' AND pos = 1`)
	if err == nil || !strings.Contains(err.Error(), "fenced: ") {
		t.Errorf("a late write to a finished step = %v, want fenced", err)
	}
}
