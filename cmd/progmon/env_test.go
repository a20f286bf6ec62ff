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

func TestOnlyTheDefaultDirectoriesAreMade(t *testing.T) {
	dir := t.TempDir()
	e := envWith(map[string]string{"XDG_STATE_HOME": filepath.Join(dir, "state")})
	if _, err := e.db(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "state")); err == nil {
		t.Error("db made a directory")
	}
	for _, ask := range []func() (string, error){e.dbToWrite, e.rootToWrite} {
		path, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Dir(path))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory of %s: %v, %v, want one with mode 0700", path, info, err)
		}
	}
	e.dbFlag = filepath.Join(dir, "typed", "x.db")
	if _, err := e.dbToWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "typed")); err == nil {
		t.Error("dbToWrite made a directory that somebody typed")
	}
}

func TestADirectoryThatCannotBeMadeExits73(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := envWith(map[string]string{"XDG_STATE_HOME": file}).dbToWrite()
	if exitCode(err) != exitCannotCreate {
		t.Errorf("dbToWrite below a file: %v, exit %d, want %d", err, exitCode(err), exitCannotCreate)
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
