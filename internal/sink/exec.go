package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// command starts a program for each message: the JSON on its standard input,
// the chief of it in its environment, in a process group of its own that is
// killed at the deadline. Exit 0 takes the message.
type command struct {
	argv []string
	db   string
}

// Close implements Sender.
func (c *command) Close() {}

// keptOutput is how much of what a program prints is kept.
const keptOutput = 512

// Send implements Sender.
func (c *command) Send(ctx context.Context, m Message) (string, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return "", &Failure{Err: err, Gone: true}
	}
	var out tail
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Stdin = bytes.NewReader(append(body, '\n'))
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = c.environ(m)
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	// A grandchild may hold the pipes when the program is gone.
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	said := clean(strings.TrimSpace(out.String()))
	switch exit := (*exec.ExitError)(nil); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil:
		return said, nil
	case ctx.Err() != nil && cmd.Process != nil:
		return said, &Failure{Err: fmt.Errorf("%s was killed: %w", c.argv[0], ctx.Err()), Unsure: true}
	case errors.As(err, &exit):
		if said != "" {
			said = ": " + said
		}
		return said, fmt.Errorf("%s ended with %w%s", c.argv[0], err, said)
	}
	return said, err
}

// environ is this process's environment with the chief of the message in it, and
// without what it says of a run of its own.
func (c *command) environ(m Message) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PROGMON_") {
			env = append(env, kv)
		}
	}
	set := func(name, value string) {
		if value != "" {
			env = append(env, "PROGMON_"+name+"="+strings.ReplaceAll(value, "\x00", ""))
		}
	}
	number := func(name string, n *int64) {
		if n != nil {
			set(name, strconv.FormatInt(*n, 10))
		}
	}
	set("DB", c.db)
	set("ID", m.ID)
	set("KIND", m.Kind)
	set("TEXT", m.Text)
	set("RUN", m.Run)
	set("FAMILY", m.Family)
	set("STATE", m.State)
	set("REASON", m.Reason)
	set("DETAIL", m.Detail)
	number("POSITION", m.Position)
	number("TOTAL", m.Total)
	if m.Epoch != 0 {
		number("EPOCH", &m.Epoch)
	}
	if m.Test {
		set("TEST", "1")
	}
	return env
}

// tail keeps the last of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 2*keptOutput {
		t.b = append(t.b[:0], t.b[len(t.b)-keptOutput:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.b[max(0, len(t.b)-keptOutput):]) }
