package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the wanted files of scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"progmon": main})
}

// TestScripts runs testdata/script at the top of the repository. Beside the
// usual commands of testscript a script has
//
//	exits CODE PROGRAM ARG...   runs a program and wants that very exit code
//	await PROGRAM ARG...        runs a program until it succeeds
//
// and a state directory, a home and a zone of its own. A word may hold the end
// of a line as ${LF}.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
			env.Setenv("TZ", "UTC")
			env.Setenv("LF", "\n")
			// The race detector sleeps a second at each exit otherwise.
			env.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "await": await},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s = %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// await is for what another process is about to do.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: await PROGRAM ARG...")
	}
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	deadline := time.After(30 * time.Second)
	for ts.Exec(args[0], args[1:]...) != nil {
		select {
		case <-again.C:
		case <-deadline:
			ts.Fatalf("waited in vain for %s", strings.Join(args, " "))
		}
	}
}
