package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/progmon/progmon/policy"
)

// The exit codes. Every command draws on this one table; 1 to 3 are verdicts,
// 4 and 5 answers, 64 to 78 errors with the numbers of sysexits.h.
const (
	exitFine          = 0
	exitDegraded      = 1
	exitStalled       = 2
	exitBlind         = 3
	exitNoStep        = 4
	exitOutOfRotation = 5
	exitUsage         = 64
	exitRefused       = 65
	exitNoRun         = 66
	exitUnavailable   = 69
	exitBug           = 70
	exitCannotCreate  = 73
	exitTryAgain      = 75
	exitFenced        = 77
	exitPolicy        = 78
	exitSpawn         = 125
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignal        = 128 // plus the number of the signal
)

// exitMeanings is the table as --help shows it.
var exitMeanings = [...]struct {
	code    int
	meaning string
}{
	{exitFine, "fine"},
	{exitDegraded, "degraded (status --check, watch --once); ready: out of rotation; doctor: a warning"},
	{exitStalled, "stalled, stuck, timeout or failed; db verify, doctor: findings"},
	{exitBlind, "blind: the trail cannot be read, or nobody is watching"},
	{exitNoStep, "claim: no step left to claim"},
	{exitOutOfRotation, "claim: the run is out of rotation"},
	{exitUsage, "the command line is wrong"},
	{exitRefused, "refused by a rule of the trail"},
	{exitNoRun, "no such run"},
	{exitUnavailable, "unavailable: something needed is missing or broken, or what was recorded could not be said on stdout"},
	{exitBug, "a bug in progmon"},
	{exitCannotCreate, "cannot create a file"},
	{exitTryAgain, "try again: busy, disk full, or the answer could not be written"},
	{exitFenced, "fenced by a newer epoch, or not permitted"},
	{exitPolicy, "the policy file is wrong"},
	{exitSpawn, "run: the wrapper itself failed"},
	{exitNotExecutable, "run: the command cannot be executed"},
	{exitNotFound, "run: the command was not found"},
	{exitSignal, "plus N: ended by signal N"},
}

// severity is the exit code of a state.
func severity(s policy.State) int {
	switch s {
	case policy.Blind:
		return exitBlind
	case policy.Stuck, policy.Stalled, policy.Timeout, policy.Failed:
		return exitStalled
	case policy.Degraded:
		return exitDegraded
	}
	return exitFine
}

// exitStatus is an exit code that needs no message: a verdict, or the exit of
// a wrapped command. A command returns it as its error.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// codedError is an error whose exit code its own type does not tell.
type codedError struct {
	code int
	err  error
}

// withCode gives err the exit code code. It returns nil when err is nil.
func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code, err}
}

func (c *codedError) Error() string { return c.err.Error() }
func (c *codedError) Unwrap() error { return c.err }

// hintedError carries what the reader can do about an error.
type hintedError struct {
	err  error
	hint string
}

// withHint adds a second line to err, shown as "progmon: hint: …". It returns
// nil when err is nil.
func withHint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, fmt.Sprintf(format, args...)}
}

func (h *hintedError) Error() string { return h.err.Error() }
func (h *hintedError) Unwrap() error { return h.err }

// usageError says that the words of the command line are wrong. It prints as
// exactly two lines, the second a command that can be run as it stands.
type usageError struct{ msg, example string }

func (u *usageError) Error() string { return u.msg }

// usagef makes a usage error. With an empty example the frame shows the first
// example of the command that is running.
func usagef(example, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), example}
}

// errReaderGone says that nobody reads stdout any more, as in progmon … | head.
var errReaderGone = errors.New("the reader of stdout is gone")

// stoppedBy gives a command that was cut short the exit a shell would show
// for the cause of it.
func stoppedBy(cause, err error) error {
	switch {
	case cause == errReaderGone:
		return exitStatus(exitSignal + 13) // SIGPIPE
	case cause == nil:
		return err
	case strings.HasPrefix(cause.Error(), "interrupt"):
		return exitStatus(exitSignal + int(syscall.SIGINT))
	default:
		return exitStatus(exitSignal + int(syscall.SIGTERM))
	}
}
