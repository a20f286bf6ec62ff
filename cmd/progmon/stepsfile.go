package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/progmon/progmon/store"
)

// What a file of step names may hold at most.
const (
	maxStepsBytes = 64 << 20
	maxSteps      = 100_000
)

// readSteps reads the names of steps, a name a line, from the file called
// name, or from stdin when that is "-". It says on which line it found what is
// wrong.
func (e *env) readSteps(name string) (steps []string, err error) {
	f, err := e.input(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	bad := func(line int, why error) error {
		return usagef("", "--steps %s, line %d: %v", name, line, why)
	}
	limited := &io.LimitedReader{R: f, N: maxStepsBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 4096), 64<<10)
	met := map[string]int{}
	for n := 1; lines.Scan(); n++ {
		step := string(bytes.TrimSuffix(lines.Bytes(), []byte("\r")))
		if err := store.CheckStepName(step); err != nil {
			return nil, bad(n, err)
		}
		if first, twice := met[step]; twice {
			return nil, bad(n, fmt.Errorf("%q is the name of line %d too", step, first))
		}
		if len(steps) == maxSteps {
			return nil, bad(n, fmt.Errorf("at most %d steps are laid out", maxSteps))
		}
		met[step] = n
		steps = append(steps, step)
	}
	switch {
	case errors.Is(lines.Err(), bufio.ErrTooLong):
		return nil, bad(len(steps)+1, errors.New("the line is too long for the name of a step"))
	case lines.Err() != nil:
		return nil, fmt.Errorf("read --steps %q: %w", name, lines.Err())
	case limited.N <= 0:
		return nil, bad(len(steps)+1, fmt.Errorf("the file is larger than %d bytes", maxStepsBytes))
	case len(steps) == 0:
		return nil, usagef("", "--steps %s names no step", name)
	}
	return steps, nil
}
