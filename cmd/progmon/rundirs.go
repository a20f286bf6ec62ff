package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/progmon/progmon/internal/rundir"
)

// findDir is the root in which a run has its directory. It makes nothing.
func (e *env) findDir(run string) (root string, err error) {
	if err := checkRun(run); err != nil {
		return "", err
	}
	roots := slices.Clone(e.roots())
	if len(roots) == 0 {
		dir, err := e.stateDir()
		if err != nil {
			return "", err
		}
		roots = []string{filepath.Join(dir, "runs")}
	}
	for _, root := range roots {
		r, err := rundir.OpenReader(root, run)
		if errors.Is(err, rundir.ErrAbsent) {
			continue
		}
		if err != nil {
			return "", notPermitted(err)
		}
		return root, r.Close()
	}
	err = withCode(exitNoRun, fmt.Errorf("run %q has no directory under %s", run, filepath.Join(roots[0])))
	return "", withHint(err, "only a wrapped run has one; --root or PROGMON_ROOT names where")
}

// openDir opens the directory of a wrapped run for writing.
func (e *env) openDir(run string) (*rundir.Dir, error) {
	root, err := e.findDir(run)
	if err != nil {
		return nil, err
	}
	d, err := rundir.Open(root, run)
	return d, notPermitted(err)
}

// readDir opens the directory of a wrapped run for looking.
func (e *env) readDir(run string) (*rundir.Reader, error) {
	root, err := e.findDir(run)
	if err != nil {
		return nil, err
	}
	r, err := rundir.OpenReader(root, run)
	return r, notPermitted(err)
}

// notPermitted gives what belongs to somebody else its exit code.
func notPermitted(err error) error {
	if errors.Is(err, rundir.ErrNotOurs) || errors.Is(err, fs.ErrPermission) {
		return withCode(exitFenced, err)
	}
	return err
}

// notKept gives what could not be written into a run's directory its exit code,
// where the directory itself is why.
func notKept(err error) error {
	switch {
	case errors.Is(err, rundir.ErrNoSpace):
		return withCode(exitTryAgain, err)
	case errors.Is(err, rundir.ErrCannotCreate), errors.Is(err, rundir.ErrNotOurs):
		return withCode(exitCannotCreate, err)
	}
	return err
}
