package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVerifyPageNamesEveryColumn: whoever adds a column says by what it is held,
// or that nothing holds it.
func TestVerifyPageNamesEveryColumn(t *testing.T) {
	db := open(t, schema(t))
	var want, got []string
	for _, table := range column(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%'`) {
		for _, name := range column(t, db, `SELECT name FROM pragma_table_info('`+table+`')`) {
			want = append(want, table+"."+name)
		}
	}
	code := regexp.MustCompile("`([a-z_]+)`")
	for line := range strings.Lines(read(t, "VERIFY.md")) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		table := code.FindStringSubmatch(cells[1])[1]
		for _, name := range code.FindAllStringSubmatch(cells[2], -1) {
			got = append(got, table+"."+name[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("VERIFY.md does not say what holds %s", name)
		}
	}
	for i, name := range got {
		if !slices.Contains(want, name) || i > 0 && got[i-1] == name {
			t.Errorf("VERIFY.md says twice, or of no column, what holds %s", name)
		}
	}
}
