package docs_test

import (
	"regexp"
	"testing"

	"github.com/progmon/progmon/policy"
)

// TestPolicyPageKnowsEveryKey: the table has each key once, in order, with the
// default that is in force.
func TestPolicyPageKnowsEveryKey(t *testing.T) {
	section := sections(read(t, "POLICY.md"))["Keys of `[default]` and `[family.NAME]`"]
	rows := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	keys, p := policy.Keys(), policy.Default()
	if len(rows) != len(keys) {
		t.Fatalf("POLICY.md explains %d keys, want %d", len(rows), len(keys))
	}
	for i, row := range rows {
		if row[1] != keys[i] || row[2] != p.Show(keys[i]) {
			t.Errorf("POLICY.md says that %s is %s, want %s = %s", row[1], row[2], keys[i], p.Show(keys[i]))
		}
	}
}
