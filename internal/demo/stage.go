package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon"
	"github.com/progmon/progmon/store"
)

// The players: who can play a part. All take the same command line.
const (
	playGo     = "Go"
	playPython = "Python"
	playBash   = "bash"
	playStream = "bash, one pipe" // the same script with --stream
)

// stage is the directory of a demo, and who is there to play in it.
type stage struct {
	dir, program string
	unit         time.Duration
	players      map[string][]string // a player's program and first arguments
	missing      []string            // sentences about players that are not here
}

func (s stage) path(name string) string { return filepath.Join(s.dir, name) }

// The monitor comes to the trail by a name of its own, so that its sight can be
// cut without pulling the file from under the workers.
func (s stage) trail() string   { return s.path("trail.db") }
func (s stage) watched() string { return s.path("watched.db") }
func (s stage) policy() string  { return s.path("policy.toml") }

// span is n units.
func (s stage) span(n float64) time.Duration { return time.Duration(n * float64(s.unit)) }

// units is n units as a flag takes them.
func (s stage) units(n float64) string { return fmt.Sprintf("%dms", s.span(n).Milliseconds()) }

// set lays out the directory: texts, scripts, thresholds, and an empty trail.
func (s *stage) set(ctx context.Context, goWorker string) error {
	if err := os.CopyFS(s.dir, progmon.Files); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	if err := os.WriteFile(s.policy(), s.thresholds(), 0o600); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	trail, err := store.Open(ctx, s.trail())
	if err != nil {
		return err
	}
	if err := trail.Close(); err != nil {
		return err
	}
	if err := s.uncover(); err != nil {
		return fmt.Errorf("lay out the demo: %w", err)
	}
	return s.cast(ctx, goWorker)
}

// cover cuts the monitor's sight, uncover gives it back.
func (s stage) cover() error { return os.Remove(s.watched()) }

func (s stage) uncover() error { return os.Symlink(filepath.Base(s.trail()), s.watched()) }

// thresholds are short, and in the shape of a real policy file.
func (s stage) thresholds() []byte {
	return fmt.Appendf(nil, `# The thresholds of the demo: minutes became seconds.
[default]
checkpoint_interval = %q
idle_window = %q
stall_after = %q
escalate_after = %q
start_within = %q
exit_grace = %q

[monitor]
interval = %q
`, s.units(2), s.units(3), s.units(6), s.units(20), s.units(6), s.units(3), s.units(0.5))
}

// cast looks for the players. Whoever is not here is replaced by another, since
// all can play every part.
func (s *stage) cast(ctx context.Context, goWorker string) error {
	s.players = map[string][]string{}
	if _, err := os.Stat(goWorker); err == nil {
		s.players[playGo] = []string{goWorker}
	} else {
		s.missing = append(s.missing, "The worker in Go is left out: "+goWorker+" is not there; make demo builds it.")
	}
	// Tables are STRICT, which SQLite knows since 3.37.
	python, err := exec.LookPath("python3")
	if err == nil {
		err = exec.CommandContext(ctx, python, "-c", "import sqlite3; assert sqlite3.sqlite_version_info >= (3, 37)").Run()
	}
	if err == nil {
		s.players[playPython] = []string{python, s.path("testdata/workers/worker.py")}
	} else {
		s.missing = append(s.missing, "The worker in Python is left out: there is no python3 with SQLite 3.37 or newer.")
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		s.players[playBash] = []string{bash, s.path("testdata/workers/worker.sh")}
		s.players[playStream] = append(s.players[playBash][:2:2], "--stream")
	} else {
		s.missing = append(s.missing, "The worker in bash is left out: there is no bash.")
	}
	if len(s.players) == 0 {
		return errors.New("no worker can run here: bash or python3 is needed")
	}
	return nil
}

// player is who plays p.
func (s stage) player(p part) string {
	for _, name := range []string{p.player, playGo, playBash, playPython} {
		if s.players[name] != nil {
			return name
		}
	}
	return ""
}

// start starts the worker that plays p, with more arguments if need be.
func (s stage) start(p part, atMost time.Duration, more ...string) (*exec.Cmd, error) {
	argv := s.players[s.player(p)]
	argv = append(argv[:len(argv):len(argv)],
		"--db", s.trail(), "--run", p.run, "--family", "demo",
		"--corpus", s.path("testdata/corpus"), "--out", s.path(p.run), "--files", fmt.Sprint(p.files),
		"--behave", p.behave, "--pace", s.units(p.pace), "--pause", s.units(p.pause),
		"--at-most", fmt.Sprintf("%dms", atMost.Milliseconds()))
	argv = append(argv, more...)
	return s.spawn(p.run+".log", argv)
}

// spawn starts a program in a group of its own, with its words in a file.
func (s stage) spawn(log string, argv []string) (*exec.Cmd, error) {
	out, err := os.Create(s.path(log))
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // the child has its own
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = s.environ()
	inGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(argv[0]), err)
	}
	return cmd, nil
}

// environ is our environment less what would name another trail, run or
// policy, and with the program for scripts to call.
func (s stage) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "PROGMON") || strings.HasPrefix(pair, "RUN_ROOT=")
	})
	return append(env, "PROGMON="+s.program, "PROGMON_POLICY="+s.policy())
}
