package imports

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a line of the list.
type room struct {
	name   string
	may    []string
	beyond []string // nil: anything outside this module
}

const (
	module = "github.com/progmon/progmon/"
	top    = "../.."
)

// pure is what a room may use that must not be able to block, to look at a
// clock by itself or to reach the world.
var pure = []string{
	"bytes", "cmp", "errors", "fmt", "iter", "maps", "math", "math/bits",
	"slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// rooms says, of each room, which other rooms it may import, and of the pure
// ones which other packages at all. A name that ends in "/" stands for all
// below it. When this test fails, change the code.
var rooms = []room{
	{"cmd/progmon", []string{"internal/", "store", "policy", "cursor", "migrations", "."}, nil},
	{"internal/demo", []string{".", "store"}, nil},
	{"internal/doctor", []string{"internal/policyfile", "internal/sink", "store", "policy"}, nil},
	{"internal/due", nil, nil},
	{"internal/follow", []string{"store"}, nil},
	{"internal/gate", nil, nil},
	{"internal/imports", nil, nil},
	{"internal/jsonline", nil, nil},
	{"internal/pipeline", []string{"internal/jsonline", "store", "policy", "cursor"}, nil},
	{"internal/policyfile", []string{"policy", "cursor"}, nil},
	{"internal/presence", []string{"cursor"}, nil},
	{"internal/replay", []string{"internal/due", "internal/jsonline", "store", "policy", "cursor"}, nil},
	{"internal/report", []string{"internal/replay", "policy", "cursor"}, nil},
	{"internal/rundir", []string{"internal/jsonline", "internal/presence", "cursor"}, nil},
	{"internal/sink", []string{"internal/policyfile", "internal/watch", "store", "policy"}, nil},
	{"internal/storetest", []string{"store"}, nil},
	{"internal/supervise", []string{"internal/gate", "internal/presence", "internal/rundir", "internal/watch", "store", "policy", "cursor"}, nil},
	{"internal/watch", []string{"internal/due", "internal/presence", "internal/rundir", "store", "policy", "cursor"}, nil},
	{"store", []string{"policy", "cursor", "migrations"}, nil},
	{".", nil, []string{"embed"}}, // files that the program carries
	{"migrations", nil, []string{"embed", "io/fs"}},
	{"policy", []string{"cursor"}, pure},
	{"cursor", nil, pure},
	{"testdata/", []string{"store", "policy", "cursor"}, nil}, // a worker is a stranger with our public packages
}

func TestImportsPointOneWay(t *testing.T) {
	for dir, imports := range importsOfDirs(t) {
		i := slices.IndexFunc(rooms, func(r room) bool { return under(dir, r.name) })
		if i < 0 {
			t.Errorf("%s is in no room", dir)
			continue
		}
		r := rooms[i]
		for imported, file := range imports {
			ours, isOurs := strings.CutPrefix(imported+"/", module)
			ours = path.Clean(ours)
			switch {
			case isOurs && !allowed(ours, r.may):
				t.Errorf("%s: %s must not import %s; it may: %s", file, dir, ours, strings.Join(r.may, ", "))
			case !isOurs && r.beyond != nil && !allowed(imported, r.beyond):
				t.Errorf("%s: %s must not import %s; it may: %s", file, dir, imported, strings.Join(r.beyond, ", "))
			}
		}
	}
}

// speaksSQL are the rooms that may import a driver or what stands on one:
// storetest fills a trail with more rows than a worker would write in a test.
// The version command names the SQLite that is linked in.
var speaksSQL = []string{"store", "internal/storetest", "cmd/progmon/version.go"}

func TestOnlyTheStoreSpeaksSQL(t *testing.T) {
	for _, file := range goFiles(t, ".") {
		if slices.Contains(speaksSQL, path.Dir(file)) || slices.Contains(speaksSQL, file) {
			continue
		}
		for _, imported := range importsOf(t, file) {
			if allowed(imported, []string{"database/sql", "database/sql/", "github.com/jmoiron/sqlx", "modernc.org/sqlite", "modernc.org/sqlite/"}) {
				t.Errorf("%s must not import %s: only the store speaks SQL", file, imported)
			}
		}
	}
}

// TestPureRoomsDoNotAskTheClock: package time is theirs for its types, not
// for the instant.
func TestPureRoomsDoNotAskTheClock(t *testing.T) {
	for _, room := range []string{"cursor", "policy"} {
		for _, file := range goFiles(t, room) {
			text, err := os.ReadFile(filepath.Join(top, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range []string{
				"time.Now(", "time.Since(", "time.Until(", "time.Sleep(", "time.After(", "time.AfterFunc(",
				"time.NewTimer(", "time.NewTicker(", "time.Tick(", "time.Local",
			} {
				if strings.Contains(string(text), call) {
					t.Errorf("%s: %s) has no place in a pure room", file, call)
				}
			}
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(strings.TrimSpace(line), "go func") || strings.HasPrefix(strings.TrimSpace(line), "//go:linkname") {
					t.Errorf("%s: %s has no place in a pure room", file, strings.TrimSpace(line))
				}
			}
		}
	}
}

func under(dir, room string) bool {
	if prefix, deep := strings.CutSuffix(room, "/"); deep {
		return strings.HasPrefix(dir, prefix+"/")
	}
	return dir == room
}

func allowed(name string, list []string) bool {
	return slices.ContainsFunc(list, func(room string) bool { return under(name, room) })
}

// importsOfDirs reads the import lines of every Go file that is no test, for
// every platform at once, and gives for each directory what it imports and a
// file that does.
func importsOfDirs(t *testing.T) map[string]map[string]string {
	t.Helper()
	dirs := map[string]map[string]string{}
	for _, file := range goFiles(t, ".") {
		dir := path.Dir(file)
		if dirs[dir] == nil {
			dirs[dir] = map[string]string{}
		}
		for _, imported := range importsOf(t, file) {
			dirs[dir][imported] = file
		}
	}
	return dirs
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, file), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

// goFiles are the Go files of room that are no tests, by their path from the
// top of the repository.
func goFiles(t *testing.T, room string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(filepath.Join(top, room), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != filepath.Join(top, room) && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			rel, err := filepath.Rel(top, name)
			if err != nil {
				return err
			}
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
