package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

func TestExitCodesSeeThroughWrapping(t *testing.T) {
	wrap := func(err error) error { return fmt.Errorf("open: %w", withHint(fmt.Errorf("deep: %w", err), "do this")) }
	for _, row := range []struct {
		err  error
		want int
	}{
		{exitStatus(exitBlind), exitBlind},
		{usagef("", "wrong"), exitUsage},
		{withCode(exitPolicy, errors.New("line 3")), exitPolicy},
		{store.ErrFenced, exitFenced},
		{store.ErrRefused, exitRefused},
		{store.ErrExists, exitRefused},
		{store.ErrNoStep, exitRefused},
		{withCode(exitNoStep, store.ErrNoStep), exitNoStep},
		{store.ErrNoRun, exitNoRun},
		{store.ErrOutOfRotation, exitOutOfRotation},
		{store.ErrBusy, exitTryAgain},
		{store.ErrNoSpace, exitTryAgain},
		{store.ErrCannotCreate, exitCannotCreate},
		{store.ErrUnavailable, exitUnavailable},
		{&store.BlindError{Reason: store.BlindLocked}, exitBlind},
		{unwritable(&store.BlindError{Reason: store.BlindLocked}), exitTryAgain},
		{unwritable(&store.BlindError{Reason: store.BlindPermission}), exitFenced},
		{unwritable(&store.BlindError{Reason: store.BlindCorrupt}), exitUnavailable},
		{unwritable(store.ErrBusy), exitTryAgain},
		{fs.ErrPermission, exitFenced},
		{syscall.ENOSPC, exitTryAgain},
		{context.DeadlineExceeded, exitTryAgain},
		{errors.New("anything"), exitUnavailable},
		{notKept(errors.New("anything")), exitUnavailable},
		{notKept(rundir.ErrNoSpace), exitTryAgain},
		{notKept(rundir.ErrCannotCreate), exitCannotCreate},
		{notStarted(errors.New("anything")), exitSpawn},
		{notStarted(rundir.ErrNoSpace), exitTryAgain},
	} {
		if got := exitCode(wrap(row.err)); got != row.want {
			t.Errorf("exitCode(%v) = %d, want %d", row.err, got, row.want)
		}
	}
	if got := exitCode(nil); got != 0 {
		t.Errorf("exitCode(nil) = %d, want 0", got)
	}
}

func TestComplaints(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{exitStatus(2), ""},
		{errors.New("no such thing."), "progmon: no such thing\n"},
		{errors.New("a\nb\x1b[2J\u202e\u009b\xff"), `progmon: a\nb\x1b[2J\u202e\u009b\xff` + "\n"},
		{withHint(errors.New("locked"), "wait"), "progmon: locked\nprogmon: hint: wait\n"},
		{errors.Join(errors.New("one"), errors.New("two")), "progmon: one\nprogmon: two\n"},
		{usagef("progmon x", "wrong"), "progmon: wrong\nprogmon: try: progmon x\n"},
	} {
		var out, errOut bytes.Buffer
		newEnv(nil, &out, &errOut).complain(row.err)
		if errOut.String() != row.want || out.Len() > 0 {
			t.Errorf("complain(%q) = %q, want %q", row.err, &errOut, row.want)
		}
	}
}

func TestPrintableKeepsLetters(t *testing.T) {
	for in, want := range map[string]string{
		"naïve 東京 ✓": "naïve 東京 ✓",
		"a\u200bb":   `a\u200bb`,
		"tab\there":  `tab\there`,
		"a\u00a0b":   `a\u00a0b`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestPrintableJSONSaysTheSame: to a machine; a terminal is told nothing.
func TestPrintableJSONSaysTheSame(t *testing.T) {
	for in, want := range map[string]string{
		"naïve 東京 ✓":      `"naïve 東京 ✓"`,
		"\x7fdel":         `"\u007fdel"`,
		"c1 \u009b31m":    `"c1 \u009b31m"`,
		"\u202eright":     `"\u202eright"`,
		"tag \U000e0041.": `"tag \udb40\udc41."`,
		`back\slash"`:     `"back\\slash\""`,
	} {
		line, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		got := printableJSON(line)
		var back string
		if err := json.Unmarshal(got, &back); string(got) != want || err != nil || back != in {
			t.Errorf("printableJSON(%s) = %s, which means %q, %v, want %s", line, got, back, err, want)
		}
	}
}
