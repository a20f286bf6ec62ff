// Command progmon tells whether long-running work is moving.
//
// Workers record each completed step as a row; the monitor reads the cursor
// those rows leave and expects it to advance. The command line is described
// by progmon --help, and each command by progmon COMMAND --help.
//
// The frame of the command line is in this package's env.go (what a command
// is given), commands.go (the table of commands, and how to add one),
// arrange.go (how words become a call), exit.go (what a command hands back).
// A command is a file that is called as it is; what several share, and what a
// person sees of it, is in files named for what they hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

func main() {
	_ = roomy()
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// roomy makes the stack as large as it will get. SQLite's parser calls deep,
// and a stack that grows under it, 2 KiB at first, is unwound and copied five
// times: 0.3 of the 9 ms that step done takes.
//
//go:noinline
func roomy() byte {
	var room [64 << 10]byte
	return room[len(os.Args)]
}

// run is the whole program: words in, an exit code of the table in exit.go
// out. It writes the answer to stdout and everything else to stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := newEnv(stdin, stdout, stderr)
	return e.guard(func() int {
		if words, ok := completionRequest(args); ok {
			complete(e, words)
			return exitFine
		}
		return e.finish(dispatch(e, args))
	})
}

// guard turns a panic into an exit code of its own. Left to the runtime it
// would be 2, which here means stalled.
func (e *env) guard(program func() int) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e.complain(fmt.Errorf("this is a bug in progmon: %v", r))
			_, _ = e.stderr.Write(debug.Stack())
			code = exitBug
		}
	}()
	return program()
}

// dispatch reads the words, builds the one command they name and runs it.
func dispatch(e *env, args []string) error {
	call, err := arrange(e, args)
	if err != nil {
		return err
	}
	if call.help {
		return call.printHelp(e)
	}
	e.adopt(call)

	// A signal cancels the context of the command, and unless the command says
	// how that ended the program exits as the signal's victim would.
	ctx := newInterruptible()
	defer ctx.release()
	e.stdout.onGone = func() { ctx.cancel(errReaderGone) }

	err = call.withExample(call.app(e).RunContext(ctx, call.canonical()))
	if err == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return stoppedBy(context.Cause(ctx), err)
}

// app is the cli application around the one command of the call. Help,
// versions, suggestions and completion are the frame's business, not cli's:
// cli prints the help of a usage error on stdout, exits by itself, and runs a
// command that was only being completed.
func (c *call) app(e *env) *cli.App {
	for _, cmd := range c.chain {
		cmd.HideHelp = true
		cmd.OnUsageError = asUsage
	}
	return &cli.App{
		Name:                      "progmon",
		Flags:                     c.globalFlags,
		Commands:                  c.chain[:1],
		HideHelp:                  true,
		HideVersion:               true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              asUsage,
		ExitErrHandler:            func(*cli.Context, error) {},
		Reader:                    e.stdin,
		Writer:                    io.Discard, // a command writes to e.stdout
		ErrWriter:                 io.Discard,
	}
}
