package cursor_test

import (
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
)

func TestValidName(t *testing.T) {
	for _, id := range []string{"a", "0", "a..b", "a-b_c.d", strings.Repeat("x", 64)} {
		if !cursor.ValidName(id) {
			t.Errorf("ValidName(%q) = false", id)
		}
	}
	for _, id := range []string{
		"", ".", "..", "../x", "a/b", "/a", `a\b`, "-rf", "_a", ".a", "A", "aB", "a\tb", "a\n", "\na", "a\x00", "a\x00b", "\x00",
		"é", "a b", " a", "a ", strings.Repeat("x", 65), "a\xff",
	} {
		if cursor.ValidName(id) {
			t.Errorf("ValidName(%q) = true", id)
		}
	}
}
