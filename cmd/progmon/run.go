package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/supervise"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func runCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a command as a worker, watched and recorded",
		ArgsUsage: "-- CMD [ARG...]",
		UsageText: "progmon run -- make nightly\n" +
			"progmon run --id crawl-7 --family crawl --total 200 --respawn 3 -- ./crawl.sh\n" +
			"progmon run --tee --stdin -- python3 ask.py",
		Description: "Runs CMD, without a shell, in a process group of its own, and exits as it does: with its code, with " +
			"128+N when signal N ended it, and with 127, 126 or 125 when it could not be started. Its output goes to " +
			"worker.log in the run's directory under --root, its stdin is empty unless --stdin is given, and it finds " +
			"PROGMON_RUN, PROGMON_DB and PROGMON_EPOCH in its environment, with which progmon step speaks for it. " +
			"Signals are passed on to the group. How it ended is in worker.exit and in the trail; a trail that cannot be " +
			"written harms neither the command nor the files. One line on stderr names the run and its worker.log at the " +
			"start; what the command leaves running is named there at the end.\n\n" +
			"The wrapper nudges a worker that does not advance (worker.ping, --ping-signal), keeps evidence of it, and in " +
			"the mode enforce ends it. With --respawn, or auto_respawn in the policy, work that is left is continued in a " +
			"new epoch: the same command with PROGMON_RESUME=1 and PROGMON_POSITION, the step after which to go on.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "id", Usage: "the `RUN`, used once; made from the family when not given"},
			&cli.StringFlag{Name: "family", Usage: "the kind of work, which thresholds hang on", Value: "default",
				EnvVars: []string{"PROGMON_FAMILY"}},
			&cli.Int64Flag{Name: "total", Usage: "the `NUMBER` of steps"},
			&cli.BoolFlag{Name: "open", Usage: "the number of steps may grow"},
			&cli.StringFlag{Name: "task", Usage: "a `FILE` that says what is to be done, kept as task.md; - is stdin"},
			&cli.Int64Flag{Name: "respawn", Usage: "continue at most `N` times without a new position"},
			&cli.BoolFlag{Name: "stdin", Usage: "let the command read this stdin, also from a terminal"},
			&cli.BoolFlag{Name: "tee", Usage: "copy what the command writes to stdout"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "do not say at the start where the output goes", EnvVars: []string{"PROGMON_QUIET"}},
			&cli.Int64Flag{Name: "continue", Hidden: true, Usage: "go on after epoch `N`, whose wrapper has vanished"},
			&cli.StringFlag{Name: "ping-signal", Usage: "the `SIGNAL` to send with a ping", EnvVars: []string{"PROGMON_PING_SIGNAL"}},
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("continue") {
				return e.continueRun(c)
			}
			w, task, err := e.wrapper(c)
			if err != nil {
				return err
			}
			return e.runWrapper(c.Context, w, task, c.Bool("quiet"))
		},
	}
}

// wrapper is the wrapper that the flags ask for, without its directory, and
// what its task.md is to hold. It makes nothing.
func (e *env) wrapper(c *cli.Context) (w *supervise.Wrapper, task []byte, err error) {
	d := store.Declared{Run: c.String("id"), Family: c.String("family"),
		Total: cursor.Total{N: c.Int64("total"), Known: c.IsSet("total"), Open: c.Bool("open")}}
	switch {
	case c.Args().Len() == 0:
		return nil, nil, usagef("", "no command is given; it follows --")
	case checkFamily(d.Family) != nil:
		return nil, nil, checkFamily(d.Family)
	case d.Total.N < 0:
		return nil, nil, usagef("", "--total %d is negative", d.Total.N)
	case c.Int64("respawn") < 0:
		return nil, nil, usagef("", "--respawn %d is negative", c.Int64("respawn"))
	case c.Bool("stdin") && c.String("task") == "-":
		return nil, nil, usagef("", "--task - and --stdin both want stdin")
	}
	if d.Run == "" {
		d.Run = store.NewRunID(d.Family)
	} else if err := checkRun(d.Run); err != nil {
		return nil, nil, err
	}
	w = &supervise.Wrapper{Declared: d}
	if name := c.String("ping-signal"); name != "" {
		if w.PingSignal, err = supervise.ParseSignal(name); err != nil {
			return nil, nil, usagef("", "--ping-signal: %v", err)
		}
	}
	if err := e.setPolicy(w, c); err != nil {
		return nil, nil, err
	}
	if name := c.String("task"); name != "" {
		if task, err = e.readTask(name); err != nil {
			return nil, nil, err
		}
	}
	path, err := e.db()
	if err == nil {
		w.DB, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, nil, err
	}
	w.Command = supervise.Command{Argv: c.Args().Slice(), Env: os.Environ()}
	if w.Command.Dir, err = os.Getwd(); err != nil {
		return nil, nil, err
	}
	if c.Bool("stdin") {
		w.Stdin, _ = e.stdin.(*os.File)
	}
	if c.Bool("tee") {
		w.Tee = e.stdout
	}
	w.Words = wrapperWords(c, w)
	w.Tell = func(line string) { e.complain(errors.New(line)) }
	return w, task, nil
}

// setPolicy gives the wrapper the thresholds of the policy file, and those of
// the flags over them, and has them recorded.
func (e *env) setPolicy(w *supervise.Wrapper, c *cli.Context) error {
	t, err := e.thresholds()
	if err != nil {
		return err
	}
	w.Policy = policy.Default()
	if t.file != nil {
		w.Policy = t.file.For(w.Declared.Family)
	}
	if c.IsSet("respawn") {
		w.Policy.MaxRespawns = c.Int64("respawn")
		w.Policy.AutoRespawn = w.Policy.MaxRespawns > 0
	}
	w.Declared.Policy = w.Policy.AppendRecord(nil)
	return nil
}

// maxTask is how much of a task is read at most; what is longer is refused by
// whoever keeps it.
const maxTask = 16<<20 + 1

func (e *env) readTask(name string) ([]byte, error) {
	f, err := e.input(name)
	if err != nil {
		return nil, err
	}
	task, err := io.ReadAll(io.LimitReader(f, maxTask))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	return task, nil
}

// wrapperWords are the words before the command, for whoever starts this
// wrapper again.
func wrapperWords(c *cli.Context, w *supervise.Wrapper) []string {
	words := []string{"run", "--id=" + w.Declared.Run, "--family=" + w.Declared.Family, "--db=" + w.DB}
	for _, name := range []string{"stdin", "tee", "quiet"} {
		if c.Bool(name) {
			words = append(words, "--"+name)
		}
	}
	if w.PingSignal != 0 {
		words = append(words, "--ping-signal="+strconv.Itoa(int(w.PingSignal)))
	}
	if c.IsSet("respawn") {
		words = append(words, "--respawn="+strconv.FormatInt(w.Policy.MaxRespawns, 10))
	}
	return words
}

// runWrapper makes the run's directory, says where that is unless quiet, and
// runs the wrapper in it.
func (e *env) runWrapper(ctx context.Context, w *supervise.Wrapper, task []byte, quiet bool) error {
	root, err := e.rootToWrite()
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return err
	}
	dir, err := rundir.Create(root, w.Declared.Run)
	if errors.Is(err, rundir.ErrExists) {
		return withHint(withCode(exitRefused, err), "a run id is used once: choose another --id, or give none")
	}
	if err != nil {
		return notStarted(err)
	}
	defer dir.Close()
	w.Dir = dir
	if task != nil {
		if err := dir.WriteTask(task); err != nil {
			return notStarted(errors.Join(err, os.RemoveAll(dir.Path())))
		}
	}
	if !quiet {
		e.complain(fmt.Errorf("run %s, output in %s; progmon %sshow %s tells how it does", w.Declared.Run,
			dir.File(rundir.LogFile), e.sameAgain(), w.Declared.Run))
	}
	return e.stayWith(ctx, w)
}

// stayWith runs the wrapper and makes its end that of the program.
func (e *env) stayWith(ctx context.Context, w *supervise.Wrapper) error {
	// Signals are the command's, not a reason for the wrapper to end.
	end, err := w.Run(context.WithoutCancel(ctx))
	if _, ok := errors.AsType[*supervise.SpawnError](err); ok {
		return withCode(end.Code, err)
	}
	if _, ok := errors.AsType[*supervise.NotStartedError](err); ok {
		return notStarted(err)
	}
	if w.After == 0 && (errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrRefused)) {
		// Nothing ran, and the trail knows another run under this name.
		return errors.Join(err, os.RemoveAll(w.Dir.Path()))
	}
	if err == nil && end.Code != 0 {
		err = exitStatus(end.Code)
	}
	return err
}

// notStarted is err of a wrapper that could not keep what must be durable
// before anything runs.
func notStarted(err error) error {
	err = notKept(err)
	if _, coded := errors.AsType[*codedError](err); coded {
		return err
	}
	return withCode(exitSpawn, err)
}
