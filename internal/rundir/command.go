package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Command is worker.cmd: what was started, for starting it again just so. It
// is kept in this file and nowhere else, since environments hold secrets.
type Command struct {
	Argv []string // at least one; any bytes but NUL
	Dir  string   // the directory it runs in
	Env  []string // the whole environment, in order, as "NAME=value"
	// Wrapper is the wrapper's own words before the command's, for a monitor
	// that starts a vanished wrapper again. It may be empty.
	Wrapper []string
}

type commandJSON struct {
	Argv    []text `json:"argv"`
	Dir     text   `json:"dir"`
	Env     []text `json:"env"`
	Wrapper []text `json:"wrapper,omitempty"`
}

// maxCommand is the most bytes of worker.cmd: more than any kernel takes.
const maxCommand = 32 << 20

// WriteCommand keeps what is about to be started, byte for byte.
func (d *Dir) WriteCommand(c Command) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("write %s: %w", d.File(CommandFile), err)
	}
	line, err := lineOf(commandJSON{toText(c.Argv), text(c.Dir), toText(c.Env), toText(c.Wrapper)})
	switch {
	case err != nil:
		return fmt.Errorf("write %s: %w", d.File(CommandFile), err)
	case len(line) > maxCommand:
		return fmt.Errorf("write %s: a command of %d bytes", d.File(CommandFile), len(line))
	}
	return d.put(CommandFile, line)
}

// ReadCommand reads what was started. It returns ErrAbsent, ErrEmpty, a
// MalformedError, or ErrNotOurs when somebody else could have written it: who
// starts a command again must know whose it is.
func (d *Dir) ReadCommand() (Command, error) {
	content, info, err := d.read(CommandFile, maxCommand)
	if err != nil {
		return Command{}, err
	}
	if err := ours(info); err != nil {
		return Command{}, fmt.Errorf("read %s: %w", d.File(CommandFile), err)
	}
	if len(content) == 0 {
		return Command{}, fmt.Errorf("%s: %w", d.File(CommandFile), ErrEmpty)
	}
	// What it holds may be secret, so it is not quoted.
	var in commandJSON
	if err := json.Unmarshal(content, &in); err != nil {
		return Command{}, &MalformedError{CommandFile, "it is no JSON of a command"}
	}
	c := Command{fromText(in.Argv), string(in.Dir), fromText(in.Env), fromText(in.Wrapper)}
	if err := c.check(); err != nil {
		return Command{}, &MalformedError{CommandFile, err.Error()}
	}
	return c, nil
}

// Family is the family that the wrapper was given, by worker.cmd; empty when it
// does not say. It is whatever whoever wrote the file says, good for choosing
// thresholds. known is false while that may still change.
func (r *Reader) Family() (family string, known bool) {
	content, _, err := r.read(CommandFile, maxCommand)
	if err != nil {
		return "", !errors.Is(err, ErrAbsent)
	}
	var in struct {
		Wrapper []text `json:"wrapper"`
	}
	if json.Unmarshal(content, &in) != nil {
		return "", true
	}
	for _, word := range fromText(in.Wrapper) {
		if name, ok := strings.CutPrefix(word, "--family="); ok && ValidID(name) == nil {
			return name, true
		}
	}
	return "", true
}

func (c Command) check() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("it names no command")
	}
	for _, list := range [][]string{c.Argv, {c.Dir}, c.Env, c.Wrapper} {
		for _, s := range list {
			if strings.ContainsRune(s, 0) {
				return errors.New("it has a NUL, which no command can")
			}
		}
	}
	return nil
}
