package rundir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var badIDs = []string{
	"", ".", "..", "../x", "a/b", "/abs", "-rf", "a\tb", "a\nb", "a\x00b", "A", "a b", ".hidden", "_x",
	"é", "a\xff", strings.Repeat("a", 65), "a\\b", "worker:1", "a\u202eb",
}

func TestValidID(t *testing.T) {
	for _, id := range []string{"a", "0", "a.b_c-d", "nightly-2026.01", strings.Repeat("a", 64), "a..", "r1"} {
		if err := ValidID(id); err != nil {
			t.Errorf("ValidID(%q) = %v", id, err)
		}
	}
	for _, id := range badIDs {
		err := ValidID(id)
		if !errors.Is(err, ErrID) {
			t.Errorf("ValidID(%q) = %v, want ErrID", id, err)
		} else if strings.ContainsAny(err.Error(), "\x00\t\n\u202e") || !utf8.ValidString(err.Error()) {
			t.Errorf("ValidID(%q) = %q, which is not safe to print", id, err)
		}
	}
}

// A refused id leaves nothing behind, not even the root.
func TestRefusedBeforeAnythingIsMade(t *testing.T) {
	top := t.TempDir()
	root := filepath.Join(top, "root")
	for _, id := range badIDs {
		for name, try := range map[string]func(string, string) (*Dir, error){"Create": Create, "Open": Open} {
			if _, err := try(root, id); !errors.Is(err, ErrID) {
				t.Errorf("%s(%q) = %v, want ErrID", name, id, err)
			}
		}
	}
	deep := root
	for len(deep) < 4100 {
		deep = filepath.Join(deep, strings.Repeat("d", 200))
	}
	for _, root := range []string{deep, deep[:4060], deep[:4000]} {
		if _, err := Create(root, strings.Repeat("a", 64)); !errors.Is(err, ErrCannotCreate) {
			t.Errorf("Create under a root of %d bytes = %v, want ErrCannotCreate", len(root), err)
		}
	}
	left, err := os.ReadDir(top)
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left behind", left, err)
	}
}
