//go:build unix

package supervise

import (
	"errors"
	"os"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
)

// The files are written side by side, and each of them holds the command back.
func TestEachFileHoldsTheCommandBack(t *testing.T) {
	for _, file := range []string{rundir.CommandFile, rundir.PIDFile} {
		dir, err := rundir.Create(t.TempDir(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		if err := os.MkdirAll(dir.File(file)+"/in the way", 0o700); err != nil {
			t.Fatal(err)
		}
		w := &Wrapper{Dir: dir, Command: Command{Argv: []string{"touch", dir.File("ran")}, Dir: t.TempDir(), Env: os.Environ()}}
		if err := w.prepare(); err != nil {
			t.Fatal(err)
		}
		defer w.log.Close()
		defer w.null.Close()
		k, err := w.ready(sequel{epoch: 1})
		if notStarted := (*NotStartedError)(nil); !errors.As(err, &notStarted) {
			t.Errorf("ready without %s = %v, want a NotStartedError", file, err)
		}
		if got := presence.Look(k.child.id); got != cursor.Gone {
			t.Errorf("without %s the child is %s", file, got)
		}
		if _, err := os.Stat(dir.File("ran")); err == nil {
			t.Errorf("the command ran without %s", file)
		}
	}
}
