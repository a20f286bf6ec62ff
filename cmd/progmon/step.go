package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/pipeline"
	"github.com/progmon/progmon/store"
)

func stepCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "step",
		Usage: "begin, finish, fail, skip or mark a step",
		UsageText: "progmon step done 7 --run nightly\n" +
			"progmon step begin deploy --run nightly --expect 40m",
		Description: "STEP is a number, counted from 1, or a name. The run and the epoch come from --run and --epoch, or " +
			"from PROGMON_RUN and PROGMON_EPOCH. When the command exits 0 the step is durable: it survives kill -9 and " +
			"power loss. It prints nothing then; with --json it prints {\"ok\":true,\"event\":ID,\"position\":N}. 77 " +
			"means that another worker has the run now: stop.",
		Subcommands: []*cli.Command{
			stepBegin(e), stepDone(e), stepFail(e), stepSkip(e), stepCancel(e), stepMark(e), stepStream(e),
		},
	}
}

// flipper is a subcommand that flips the one step it names.
func flipper(e *env, cmd *cli.Command, act func(context.Context, *store.Run, store.StepRef) (store.Ack, error)) *cli.Command {
	cmd.ArgsUsage = "STEP"
	cmd.Flags = append(cmd.Flags, runFlag(), epochFlag())
	cmd.Action = func(c *cli.Context) error {
		ref, err := store.ParseStep(c.Args().First())
		if err != nil {
			return usagef("", "%v", err)
		}
		return e.record(c, nil, func(ctx context.Context, r *store.Run) (store.Ack, error) { return act(ctx, r, ref) })
	}
	return cmd
}

func noteFlag(note *string) cli.Flag {
	return &cli.StringFlag{Name: "note", Usage: "a `TEXT` to keep with the step, cut at 4096 bytes", Destination: note}
}

func stepBegin(e *env) *cli.Command {
	expect := durationFlag(0)
	return flipper(e, &cli.Command{
		Name:  "begin",
		Usage: "begin an attempt at a step",
		UsageText: "progmon step begin 7 --run nightly\n" +
			"progmon step begin 7 --run nightly --expect 40m",
		Description: "--expect declares how long the step may take: until then its silence is not held against the run. " +
			"Beginning again inside that time does not renew it.",
		Flags: []cli.Flag{newDurationFlag(&expect, "expect", "how `LONG` the step may take")},
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) {
		return r.Begin(ctx, ref, time.Duration(expect))
	})
}

func stepDone(e *env) *cli.Command {
	var note string
	return flipper(e, &cli.Command{
		Name:        "done",
		Usage:       "record that a step is done",
		UsageText:   "progmon step done 7 --run nightly",
		Description: "A step that is done already leaves a row that is no advance, and that is no error.",
		Flags:       []cli.Flag{noteFlag(&note)},
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) {
		return r.CompleteNoted(ctx, ref, store.KeptText(note))
	})
}

func stepFail(e *env) *cli.Command {
	var note string
	return flipper(e, &cli.Command{
		Name:        "fail",
		Usage:       "record that an attempt at a step failed",
		UsageText:   "progmon step fail 7 --run nightly --note 'disk full'",
		Description: "The step is not over: it may be begun or claimed again.",
		Flags:       []cli.Flag{noteFlag(&note)},
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) {
		return r.Fail(ctx, ref, store.KeptText(note))
	})
}

func stepSkip(e *env) *cli.Command {
	return flipper(e, &cli.Command{
		Name:        "skip",
		Usage:       "record that a step will not be done",
		UsageText:   "progmon step skip 7 --run nightly",
		Description: "A skipped step counts as one that is over.",
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) { return r.Skip(ctx, ref) })
}

func stepCancel(e *env) *cli.Command {
	return flipper(e, &cli.Command{
		Name:        "cancel",
		Usage:       "record that a step was called off",
		UsageText:   "progmon step cancel 7 --run nightly",
		Description: "A cancelled step counts as one that is over.",
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) {
		return r.CancelStep(ctx, ref)
	})
}

func stepMark(e *env) *cli.Command {
	var amount, of int64
	cmd := flipper(e, &cli.Command{
		Name:      "mark",
		Usage:     "record how much of a step is done",
		UsageText: "progmon step mark 7 --run nightly --amount 120 --of 5000",
		Description: "The first mark of a step fixes what it is of. Only a new maximum is an advance. A step that is not " +
			"running is begun by it.",
		Flags: []cli.Flag{
			&cli.Int64Flag{Name: "amount", Usage: "how `MUCH` is done", Destination: &amount},
			&cli.Int64Flag{Name: "of", Usage: "how much there is in `ALL`", Destination: &of},
		},
	}, func(ctx context.Context, r *store.Run, ref store.StepRef) (store.Ack, error) {
		return r.Mark(ctx, ref, amount, of)
	})
	flip := cmd.Action
	cmd.Action = func(c *cli.Context) error {
		switch {
		case !c.IsSet("amount"):
			return usagef("", "flag --amount is missing")
		case !c.IsSet("of"):
			return usagef("", "flag --of is missing")
		case amount < 0 || of < 1:
			return usagef("", "a mark is 0 or more of 1 or more, and not %d of %d", amount, of)
		}
		return flip(c)
	}
	return cmd
}

func stepStream(e *env) *cli.Command {
	return &cli.Command{
		Name:  "-",
		Usage: "read JSON lines, and answer each when it is durable",
		UsageText: "progmon step - --run nightly\n" +
			`printf '%s\n' '{"kind":"step.done","step":7}' | progmon step - --run nightly`,
		Description: "Each line is an object as in a tape: kind, and what it is about. step.begun (step, expect_s), step.done " +
			"and step.failed (step, note), step.skipped, step.cancelled, step.marked (step, amount, of), cursor " +
			"(position, total), hold (for_s, reason), resume, run.total (total, open), run.exited (code or signal). run " +
			"and epoch may stand in a line; else the flags and variables hold. The answers come in the order of the " +
			"lines: {\"ok\":true,\"event\":ID,\"position\":N} or {\"ok\":false,\"code\":77,\"error\":TEXT,\"line\":N}. A worker " +
			"need not wait for them: lines that are ready together share a transaction. A blank line has no answer. A " +
			"line that is wrong (an unknown field, one field twice) is answered and ends nothing. At the end of the input the exit code is 0, or that of " +
			"the first line that was not accepted.",
		Flags:  []cli.Flag{runFlag(), epochFlag()},
		Action: func(c *cli.Context) error { return streamSteps(c, e) },
	}
}

func streamSteps(c *cli.Context, e *env) error {
	server := pipeline.Server{
		Malformed: exitUsage,
		Code:      func(err error) int { return exitCode(unwritable(err)) },
	}
	if c.String("run") != "" {
		to, err := e.target(c)
		if err != nil {
			return err
		}
		if server.Run = to.run; to.named {
			server.Epoch = to.epoch
		}
	} else if n, named := epoch(c); named && n < 1 {
		return usagef("", "epoch %d: epochs count from 1", n)
	} else if named {
		server.Epoch = n
	}
	return e.onTrail(c.Context, func(s *store.Store) error {
		server.Store = s
		code, err := server.Serve(c.Context, e.stdin, e.stdout)
		if err == nil && code != exitFine {
			err = exitStatus(code)
		}
		return err
	})
}
