package imports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDependenciesAreExplained: what go.mod requires directly has its line in
// docs/DEPENDENCIES.md, and no line explains what is no longer required.
func TestDependenciesAreExplained(t *testing.T) {
	page := read(t, "docs/DEPENDENCIES.md")
	required := map[string]bool{} // and whether a tool or the code itself does
	for line := range strings.Lines(read(t, "go.mod")) {
		line = strings.TrimSpace(line)
		line, _ = strings.CutPrefix(line, "require ")
		if fields := strings.Fields(line); len(fields) >= 2 && strings.HasPrefix(fields[1], "v") {
			required[fields[0]] = !strings.HasSuffix(line, "// indirect")
		}
	}
	for path, direct := range required {
		if direct && !strings.Contains(page, "| `"+path+"` |") {
			t.Errorf("docs/DEPENDENCIES.md does not say what %s is for", path)
		}
	}
	for line := range strings.Lines(page) {
		rest, isRow := strings.CutPrefix(line, "| `")
		path, _, _ := strings.Cut(rest, "`")
		if _, ok := required[path]; isRow && !ok {
			t.Errorf("docs/DEPENDENCIES.md explains %s, which go.mod does not require", path)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
