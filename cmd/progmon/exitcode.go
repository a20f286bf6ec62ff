package main

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/store"
)

// exitCode is the code for err, however deeply what decides is wrapped.
func exitCode(err error) int {
	var (
		status exitStatus
		coded  *codedError
		usage  *usageError
	)
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &usage):
		return exitUsage
	}
	if _, faulty := errors.AsType[*policyfile.Error](err); faulty {
		return exitPolicy
	}
	if code, ok := trailCode(err); ok {
		return code
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return exitFenced
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT),
		errors.Is(err, context.DeadlineExceeded):
		return exitTryAgain
	}
	return exitUnavailable
}

// trailCode is the code for what the store says. A step that is not there is
// refused; for claim the same error means that none is left, so claim gives
// it exitNoStep. Blindness is a verdict; see unwritable.
func trailCode(err error) (int, bool) {
	if _, blind := errors.AsType[*store.BlindError](err); blind {
		return exitBlind, true
	}
	for _, known := range [...]struct {
		err  error
		code int
	}{
		{store.ErrFenced, exitFenced},
		{store.ErrRefused, exitRefused},
		{store.ErrExists, exitRefused},
		{store.ErrNoStep, exitRefused},
		{store.ErrNoDelivery, exitRefused},
		{store.ErrNoRun, exitNoRun},
		{store.ErrOutOfRotation, exitOutOfRotation},
		{store.ErrBusy, exitTryAgain},
		{store.ErrNoSpace, exitTryAgain},
		{store.ErrCannotCreate, exitCannotCreate},
		{store.ErrUnavailable, exitUnavailable},
	} {
		if errors.Is(err, known.err) {
			return known.code, true
		}
	}
	return 0, false
}

// unwritable is err for a command that wanted to write. It gave no verdict, so
// a trail that cannot be read is not a blind one to it but an error.
func unwritable(err error) error {
	blind, ok := errors.AsType[*store.BlindError](err)
	if !ok {
		return err
	}
	switch blind.Reason {
	case store.BlindPermission:
		return withCode(exitFenced, err)
	case store.BlindLocked:
		return withCode(exitTryAgain, err)
	}
	return withCode(exitUnavailable, err)
}
