package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"testing"
)

// startsGoroutines are the rooms and files that may. Everything else blocks
// until it is done, and its caller says when.
var startsGoroutines = []string{
	"internal/watch",     // the loop: roots are looked at side by side, and a seal must not hold up a look
	"internal/supervise", // the wrapper waits for a child, its directory and the trail at once
	"internal/sink",      // a write to a file that hangs is left behind at its deadline
	"internal/doctor",    // a file system that does not answer is a finding, and left behind
	"internal/pipeline",  // reads the next lines while what came is made durable
	"store/within.go",    // a system call cannot be cancelled: it is left behind at the deadline
	"store/lock.go",      // so it is with a lock of a file, which is let go of when it comes too late
}

func TestGoroutinesHaveTheirRooms(t *testing.T) {
	starts := map[string]bool{}
	for _, file := range goFiles(t, ".") {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, filepath.Join(top, file), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok {
				starts[path.Dir(file)], starts[file] = true, true
				if !slices.Contains(startsGoroutines, path.Dir(file)) && !slices.Contains(startsGoroutines, file) {
					t.Errorf("%s:%d: no goroutine is started here; let the caller wait", file, fset.Position(g.Pos()).Line)
				}
			}
			return true
		})
	}
	for _, name := range startsGoroutines {
		if !starts[name] {
			t.Errorf("%s starts no goroutine any more: take it off the list", name)
		}
	}
}
