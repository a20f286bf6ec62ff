package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/supervise"
	"github.com/progmon/progmon/store"
)

func stopCommand(e *env) *cli.Command {
	var grace durationFlag
	return &cli.Command{
		Name:      "stop",
		Usage:     "stop a wrapped worker",
		ArgsUsage: "RUN",
		UsageText: "progmon stop crawl-7\nprogmon stop crawl-7 --grace 1m --reason 'not today'",
		Description: "Asks the wrapper of the run to end its command: TERM to the group, KILL when the grace is over. Only " +
			"the wrapper, whose child it is, signals it, so nothing else can be hit. Waits until the run has ended and " +
			"prints how. A stopped run is not continued. If anything of it survives, that is said and the exit is 69. A " +
			"run that had ended already is not an error.",
		Flags: []cli.Flag{
			newDurationFlag(&grace, "grace", "how long `FOR` from TERM to KILL (default: kill_grace of the policy)", "PROGMON_STOP_GRACE"),
			&cli.StringFlag{Name: "reason", Usage: "why"},
		},
		Action: func(c *cli.Context) error {
			return e.stop(c.Context, c.Args().First(), c.String("reason"), time.Duration(grace))
		},
	}
}

// stopWithin is how long a stop may take beyond its grace: a wrapper writes
// rows to a trail that may be locked, and KILL takes its time.
const stopWithin = time.Minute

func (e *env) stop(ctx context.Context, run, reason string, grace time.Duration) error {
	dir, err := e.openDir(run)
	if err != nil {
		return err
	}
	defer dir.Close()
	request := rundir.Stop{By: "user", Reason: reason, GraceMS: grace.Milliseconds(), AtMS: e.now().UnixMilli()}
	stopped, err := supervise.Stop(ctx, dir, request, grace+stopWithin, func() error { return e.tellStop(ctx, run, reason) })
	switch {
	case errors.Is(err, supervise.ErrNoWrapper):
		return withHint(withCode(exitUnavailable, err), "progmon never signals a process that is not its own child: kill it yourself if it must end")
	case errors.Is(err, fs.ErrPermission):
		return withCode(exitFenced, err)
	case err != nil:
		return err
	}
	if err := e.printStopped(run, stopped); err != nil {
		return err
	}
	if len(stopped.Survivors) > 0 {
		var names []string
		for _, p := range stopped.Survivors {
			names = append(names, fmt.Sprintf("pid %d %s", p.PID, printable(p.Command)))
		}
		return fmt.Errorf("run %q has ended, and of it still live: %s", run, strings.Join(names, ", "))
	}
	return nil
}

// tellStop puts the request in the log.
func (e *env) tellStop(ctx context.Context, run, reason string) error {
	return e.onTrail(ctx, func(s *store.Store) error {
		_, err := s.Aside(ctx, run, store.Aside{Kind: "run.stop", Who: "user", Reason: reason})
		return err
	}, store.WithSource("user"), store.WithBusyTimeout(time.Second))
}

func (e *env) printStopped(run string, s supervise.Stopped) error {
	if !e.json {
		how := exitText(s.Exit)
		if s.Already {
			how = "had ended: " + how
		}
		e.printf("%s %s\n", run, how)
		return nil
	}
	return e.printJSON(struct {
		Run       string            `json:"run"`
		Already   bool              `json:"already"`
		Epoch     int64             `json:"epoch"`
		End       string            `json:"end"`
		AskedBy   string            `json:"asked_by,omitempty"`
		Survivors []rundir.Leftover `json:"survivors"`
	}{run, s.Already, s.Exit.Epoch, exitText(s.Exit), s.Exit.AskedBy, append([]rundir.Leftover{}, s.Survivors...)})
}

// exitText is how an epoch ended, as a verdict has it. A record without an
// epoch is none.
func exitText(x rundir.Exit) string {
	switch {
	case x.Ended.IsZero() && x.Epoch == 0 && x.Code == 0 && x.Signal == 0 && x.Spawn == "":
		return "no exit record"
	case x.Spawn != "":
		return "spawn"
	case x.Signal != 0:
		return fmt.Sprintf("signal %d", x.Signal)
	}
	return fmt.Sprintf("exit %d", x.Code)
}
