package demo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// bin has progmon and goworker, built as a user builds them.
var bin string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "progmon-demo-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/progmon", "./testdata/workers/goworker")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// newStage is a demo laid out, with nobody on it yet. Its unit is as short as
// an interval of watch allows.
func newStage(t *testing.T) stage {
	t.Helper()
	s := stage{dir: t.TempDir(), program: filepath.Join(bin, "progmon"), unit: 200 * time.Millisecond}
	if err := s.set(t.Context(), filepath.Join(bin, "goworker")); err != nil {
		t.Fatal(err)
	}
	for _, sentence := range s.missing {
		t.Log(sentence)
	}
	return s
}
