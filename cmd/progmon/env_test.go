package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func envWith(vars map[string]string) *env {
	e := newEnv(nil, &bytes.Buffer{}, &bytes.Buffer{})
	e.getenv = func(name string) string { return vars[name] }
	return e
}

func TestTheDatabaseHasADefaultPlace(t *testing.T) {
	for _, row := range []struct {
		claim string
		flag  string
		vars  map[string]string
		want  string
	}{
		{"the flag", "x.db", map[string]string{"HOME": "/h"}, "x.db"},
		{"a server is left as it is", "postgres://h/d", map[string]string{"HOME": "/h"}, "postgres://h/d"},
		{"the state directory", "", map[string]string{"XDG_STATE_HOME": "/s", "HOME": "/h"}, "/s/progmon/progmon.db"},
		{"a relative state directory is ignored", "", map[string]string{"XDG_STATE_HOME": "s", "HOME": "/h"}, "/h/.local/state/progmon/progmon.db"},
		{"the home directory", "", map[string]string{"HOME": "/h"}, "/h/.local/state/progmon/progmon.db"},
	} {
		e := envWith(row.vars)
		e.dbFlag = row.flag
		if got, err := e.db(); err != nil || got != filepath.FromSlash(row.want) {
			t.Errorf("%s: db() = %q, %v, want %q", row.claim, got, err, row.want)
		}
	}
}

func TestNamingADirectoryMakesNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	e := envWith(map[string]string{"XDG_STATE_HOME": dir})
	if _, err := e.db(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("db made a directory")
	}
	root, err := e.rootToWrite()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(root)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("rootToWrite: %v, %v, want a directory with mode 0700", info, err)
	}
}

func TestADirectoryThatCannotBeMadeExits73(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := envWith(map[string]string{"XDG_STATE_HOME": file}).rootToWrite()
	if exitCode(err) != exitCannotCreate {
		t.Errorf("rootToWrite below a file: %v, exit %d, want %d", err, exitCode(err), exitCannotCreate)
	}
}

func TestAMistypedTrailMakesNoFile(t *testing.T) {
	e := envWith(nil)
	e.dbFlag = filepath.Join(t.TempDir(), "none", "none.db")
	if s, err := e.openTrail(t.Context()); err == nil || exitCode(err) != exitUnavailable {
		t.Errorf("openTrail of an absent file = %v, %v, exit %d, want %d", s, err, exitCode(err), exitUnavailable)
	}
	if r, err := e.readTrail(t.Context()); err == nil || exitCode(err) != exitBlind {
		t.Errorf("readTrail of an absent file = %v, %v, exit %d, want %d", r, err, exitCode(err), exitBlind)
	}
	if _, err := os.Stat(filepath.Dir(e.dbFlag)); err == nil {
		t.Error("looking made a directory")
	}
	s, err := e.makeTrail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() (interface{ Close() error }, error){
		func() (interface{ Close() error }, error) { return e.openTrail(t.Context()) },
		func() (interface{ Close() error }, error) { return e.readTrail(t.Context()) },
	} {
		s, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInputNamesTheFileSafely(t *testing.T) {
	e := envWith(nil)
	e.stdin = strings.NewReader("hello")
	r, err := e.input("-")
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if _, err := fmt.Fscan(r, &text); err != nil || text != "hello" {
		t.Errorf("input(-) gave %q, %v", text, err)
	}
	_, err = e.input("no\nfile")
	if err == nil || !strings.HasPrefix(err.Error(), `open "no\nfile": `) {
		t.Errorf("input of an absent file: %v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}
