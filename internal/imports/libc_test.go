package imports

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibcIsTheOneSQLiteWasGeneratedAgainst: modernc.org/sqlite is C turned
// into Go that calls one exact modernc.org/libc. Another requirement may lift
// libc by itself (goose does), and then the pair is one nobody has tested.
func TestLibcIsTheOneSQLiteWasGeneratedAgainst(t *testing.T) {
	// Read it here too, so that a cached result does not outlive an edit.
	if _, err := os.ReadFile(filepath.Join(top, "go.mod")); err != nil {
		t.Fatal(err)
	}
	sqlite, libc := moduleInUse(t, "modernc.org/sqlite"), moduleInUse(t, "modernc.org/libc")
	text, err := os.ReadFile(sqlite.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for line := range strings.Lines(string(text)) {
		line, _ = strings.CutPrefix(strings.TrimSpace(line), "require ")
		if version, ok := strings.CutPrefix(line, "modernc.org/libc "); ok {
			want, _, _ = strings.Cut(version, " ")
		}
	}
	if want == "" || libc.Version != want {
		t.Errorf("modernc.org/libc is %s, want %s, which modernc.org/sqlite %s asks for: mend the replace in go.mod",
			libc.Version, want, sqlite.Version)
	}
}

type moduleInfo struct {
	Version, GoMod string
	Replace        *moduleInfo
}

// moduleInUse asks the Go tool which version of a module a build takes.
func moduleInUse(t *testing.T, path string) moduleInfo {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-json", path)
	cmd.Dir = top
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", cmd, err)
	}
	var m moduleInfo
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	if m.Replace != nil {
		return *m.Replace
	}
	return m
}
