package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/demo"
	"github.com/progmon/progmon/policy"
)

// shortestDemo leaves watch an interval that it takes, and workers a pace that
// a busy machine keeps.
const shortestDemo = 10 * time.Second

func demoCommand(e *env) *cli.Command {
	length := durationFlag(30 * time.Second)
	return &cli.Command{
		Name:      "demo",
		Usage:     "watch real workers for half a minute",
		UsageText: "progmon demo\nprogmon demo --dir /tmp/demo --for 20s",
		Description: "Small real workers in Go, Python and bash count the words of files, a step a file. One moves, some " +
			"wait and say so, one goes silent and comes back, one is only busy, one never starts, one runs after an " +
			"end that runs away, one crashes. progmon watch looks on, and near the end its way to the trail is cut, so " +
			"that it must say that it is blind. At the end what was said is compared with what happened: exit 0 when " +
			"it is the same. Workers whose language is not on this machine are replaced by the others.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Usage: "an empty `DIR` to leave the trail in (default: a new temporary one)",
				EnvVars: []string{"PROGMON_DEMO_DIR"}},
			newDurationFlag(&length, "for", "how `LONG` it takes; every threshold is in proportion", "PROGMON_DEMO_FOR"),
		},
		Action: func(c *cli.Context) error {
			if time.Duration(length) < shortestDemo {
				return usagef("", "--for is at least %s", policy.FormatDuration(shortestDemo))
			}
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			dir, err := demoDir(c.String("dir"))
			if err != nil {
				return err
			}
			return demo.Run(c.Context, demo.Options{
				Program:  program,
				GoWorker: filepath.Join(filepath.Dir(program), "goworker"),
				Dir:      dir,
				For:      time.Duration(length),
				Colour:   e.stdout.isTerminal() && e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb",
			}, e.stdout)
		},
	}
}

// demoDir is the directory called name, made when it is not there, or a new
// temporary one.
func demoDir(name string) (string, error) {
	if name == "" {
		dir, err := os.MkdirTemp("", "progmon-demo-")
		return dir, withCode(exitCannotCreate, err)
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return "", withCode(exitCannotCreate, err)
	}
	if err := os.MkdirAll(name, 0o700); err != nil {
		return "", withCode(exitCannotCreate, err)
	}
	held, err := os.ReadDir(name)
	if err != nil {
		return "", withCode(exitCannotCreate, err)
	}
	if len(held) > 0 {
		return "", withHint(withCode(exitCannotCreate, fmt.Errorf("%q is not empty", name)), "name a directory that is not there yet")
	}
	return name, nil
}
