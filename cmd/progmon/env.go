package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// env is what a command is given: the three streams, the clock, the
// environment, and the global flags. Those are known only once the command's
// own flags are, so a constructor must not ask for them; its action may.
type env struct {
	stdin  io.Reader
	stdout *answer
	stderr io.Writer
	now    func() time.Time
	getenv func(string) string
	table  func() []section
	call   *call // what was typed; nil before it was understood

	// json says that the answer is for a machine: --json.
	json bool
	// recorded is what the command put on record, in a sentence, for when the
	// answer that would have said it is lost.
	recorded string

	completeWithin     time.Duration // how long TAB may take
	dbFlag, policyFlag string
	rootFlags          []string
}

func newEnv(stdin io.Reader, stdout, stderr io.Writer) *env {
	return &env{
		stdin: stdin, stdout: &answer{w: stdout}, stderr: stderr,
		now: time.Now, getenv: os.Getenv, table: commandTable, completeWithin: completeWithin,
	}
}

// adopt takes the global flags of the call.
func (e *env) adopt(c *call) {
	last := func(name string) string {
		values := c.global(name)
		return strings.Join(values[max(0, len(values)-1):], "")
	}
	e.call = c
	e.dbFlag, e.policyFlag, e.rootFlags = last("db"), last("policy"), c.global("root")
	e.json, _ = strconv.ParseBool(last("json"))
}

// db names the database: --db, PROGMON_DB, or progmon.db in the state
// directory. It touches no file. A name with :// in it is a server's.
func (e *env) db() (string, error) {
	if e.dbFlag != "" {
		return e.dbFlag, nil
	}
	dir, err := e.stateDir()
	if err != nil {
		return "", withHint(err, "name the database with --db FILE or PROGMON_DB")
	}
	return filepath.Join(dir, "progmon.db"), nil
}

// dbIsDefault says that nobody named a database, so that an absent one means
// that nothing was ever recorded here.
func (e *env) dbIsDefault() bool { return e.dbFlag == "" }

// stateDir is where progmon keeps what nobody told it to keep elsewhere.
func (e *env) stateDir() (string, error) {
	// The XDG specification has relative names ignored.
	if dir := e.getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "progmon"), nil
	}
	home := e.getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", errors.New("neither XDG_STATE_HOME nor HOME is set")
		}
	}
	return filepath.Join(home, ".local", "state", "progmon"), nil
}

// roots are the directories of run directories: --root, PROGMON_ROOT,
// RUN_ROOT; the variables may list several, as PATH does. Often there is none.
func (e *env) roots() []string { return e.rootFlags }

// rootToWrite is the root that new run directories go to: the first root, or
// runs in the state directory, which is made when it is missing.
func (e *env) rootToWrite() (string, error) {
	if len(e.rootFlags) > 0 {
		return e.rootFlags[0], nil
	}
	dir, err := e.stateDir()
	if err != nil {
		return "", withHint(err, "name a directory with --root DIR or PROGMON_ROOT")
	}
	dir = filepath.Join(dir, "runs")
	return dir, withCode(exitCannotCreate, os.MkdirAll(dir, 0o700))
}

// policy names the policy file: --policy or PROGMON_POLICY. Empty means that
// none was named.
func (e *env) policy() string { return e.policyFlag }

// printf writes a piece of the answer. Its error is kept by e.stdout and ends
// the program with 75, so a command that prints and returns need not look.
func (e *env) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(e.stdout, format, args...)
}

// printJSON writes v as one line of JSON. It returns an error only for a v
// that is no JSON.
func (e *env) printJSON(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, _ = e.stdout.Write(append(printableJSON(line), '\n'))
	return nil
}

// heard is an error when the answer, which says what, would reach nobody. A
// command that would take or make something that only its answer names asks
// before it does.
func (e *env) heard(what string) error {
	if !e.stdout.unheard() {
		return nil
	}
	return withCode(exitUnavailable, fmt.Errorf("stdout is closed, so nobody would learn %s: nothing was done", what))
}

// input opens the file that an argument names, "-" being stdin.
func (e *env) input(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(e.stdin), nil
	}
	f, err := os.Open(name)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = path.Err // which names the file raw
		}
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	return f, nil
}

// sameAgain is the words, each with a space after it, that make another command
// find what this one was told to use: the flags that were typed. What the
// environment says it finds by itself.
func (e *env) sameAgain() string {
	var b strings.Builder
	for _, g := range e.call.globals {
		if (g.name == "db" || g.name == "root") && strings.HasPrefix(g.word, "-") {
			fmt.Fprintf(&b, "--%s %s ", g.name, shellWord(g.value))
		}
	}
	return b.String()
}

// shellWord is s as a shell takes it for one word.
func shellWord(s string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-"
	if s != "" && strings.Trim(s, safe) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// firstOf is the first of values that is not empty.
func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
