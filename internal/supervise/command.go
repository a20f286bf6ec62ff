package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Command is what is run, and runs again the same way when it is continued.
type Command struct {
	Argv []string // argv[0] is the program's name, as it was typed
	Dir  string   // absolute
	Env  []string // NAME=value, as the wrapper found it, bytes kept
}

// SpawnError says that a command could not be started. Its exit code is the
// shell's: see Code.
type SpawnError struct {
	Name string // as it was typed
	Err  error
}

// Error names the command and what the system said.
func (e *SpawnError) Error() string { return fmt.Sprintf("start %q: %v", e.Name, e.Err) }

// Unwrap gives what the system said.
func (e *SpawnError) Unwrap() error { return e.Err }

// Code is 127 for a command that is not there and 126 for one that cannot be
// executed; 125 says that the wrapper itself could not start it.
func (e *SpawnError) Code() int {
	switch {
	case errors.Is(e.Err, fs.ErrNotExist), errors.Is(e.Err, syscall.ENOTDIR):
		return 127
	case errors.Is(e.Err, syscall.EAGAIN), errors.Is(e.Err, syscall.ENOMEM), errors.Is(e.Err, syscall.EMFILE),
		errors.Is(e.Err, syscall.ENFILE):
		return 125
	}
	return 126
}

// path finds the file to execute, as a shell does: a name with a slash is a
// file, any other is looked for in PATH. What is there and may not be executed
// is remembered, and is the error when nothing better follows.
func (c Command) path() (string, error) {
	name := c.Argv[0]
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
		return name, nil
	}
	found := error(syscall.ENOENT)
	for _, dir := range filepath.SplitList(c.variable("PATH")) {
		if !filepath.IsAbs(dir) { // an empty one is the working directory, too
			dir = filepath.Join(c.Dir, dir)
		}
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		switch {
		case err != nil || name == "":
		case info.IsDir() || !executable(file):
			found = syscall.EACCES
		default:
			return file, nil
		}
	}
	return "", found
}

// variable is the value of an environment variable of the command; the last
// one counts, as it does in a shell.
func (c Command) variable(name string) string {
	for _, pair := range slices.Backward(c.Env) {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// told is what the wrapper tells its child. A value that is empty is not told.
type told struct{ name, value string }

// environment is what the child finds: the command's own, and what the wrapper
// has to tell in the place of what an outer wrapper told.
func (c Command) environment(tell []told) []string {
	env := slices.DeleteFunc(slices.Clone(c.Env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(tell, func(t told) bool { return t.name == name })
	})
	for _, t := range tell {
		if t.value != "" {
			env = append(env, t.name+"="+t.value)
		}
	}
	return env
}
