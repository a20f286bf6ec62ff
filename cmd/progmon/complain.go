package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
)

// finish reports err, closes the answer, and gives the exit code of both.
func (e *env) finish(err error) int {
	e.complain(err)
	code := exitCode(err)
	switch lost := e.stdout.close(); {
	case lost == nil:
	case e.recorded != "":
		lost = fmt.Errorf("write the answer to stdout: %w; it is on record all the same: %s", lost, e.recorded)
		e.complain(withHint(lost, "do not repeat the command: it would do the work of it twice"))
		if code == exitFine {
			code = exitUnavailable
		}
	case errors.Is(lost, syscall.EPIPE):
		if code == exitFine {
			code = exitSignal + 13 // SIGPIPE
		}
	default:
		e.complain(fmt.Errorf("write the answer to stdout: %w", lost))
		if code == exitFine {
			code = exitTryAgain
		}
	}
	return code
}

// complain writes err to stderr: a line, and a second one with what to do
// about it. Joined errors are several complaints. An exitStatus is silent.
func (e *env) complain(err error) {
	var (
		status exitStatus
		usage  *usageError
		hinted *hintedError
	)
	if err == nil || errors.As(err, &status) {
		return
	}
	if coded, ok := err.(*codedError); ok {
		e.complain(coded.err) // which may be several
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && isJoin(err, joined.Unwrap()) {
		for _, each := range joined.Unwrap() {
			e.complain(each)
		}
		return
	}
	lines := "progmon: " + printable(strings.TrimSuffix(err.Error(), ".")) + "\n"
	switch {
	case errors.As(err, &usage):
		lines += "progmon: try: " + printable(firstOf(usage.example, "progmon --help")) + "\n"
	case errors.As(err, &hinted):
		lines += "progmon: hint: " + printable(hinted.hint) + "\n"
	}
	_, _ = io.WriteString(e.stderr, lines)
}

// isJoin tells an errors.Join from an error that wraps several in a sentence.
func isJoin(err error, parts []error) bool {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Error()
	}
	return err.Error() == strings.Join(texts, "\n")
}
