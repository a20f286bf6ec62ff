package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

const (
	// MaxLine is the longest line of a tape, in bytes.
	MaxLine = 1 << 20
	// MaxFindings is how many faults of a tape are reported.
	MaxFindings = 20
)

// Finding is one thing that is wrong with a tape.
type Finding struct {
	Line int
	Text string
}

// Error is what is wrong with a tape, in the order of its lines.
type Error struct {
	Name     string
	Findings []Finding
}

// Error is a line for each finding, NAME:LINE: TEXT.
func (e *Error) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap gives each finding as an error of its own.
func (e *Error) Unwrap() []error {
	all := make([]error, len(e.Findings))
	for i, f := range e.Findings {
		all[i] = fmt.Errorf("%s:%d: %s", policy.Quote(e.Name, 200), f.Line, f.Text)
	}
	return all
}

// Read reads a tape; name is what it is called in errors. What is wrong with
// the tape is an *Error, and what is wrong with reading it any other.
func Read(name string, r io.Reader) ([]Line, error) {
	t := taker{started: map[string]bool{}}
	buffered := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; number++ {
		raw, err := readLine(buffered)
		if err == nil || err == io.EOF && len(raw) > 0 {
			t.take(number, raw)
		}
		switch {
		case err == errTooLong:
			t.wrong(number, fmt.Errorf("a line has at most %d bytes", MaxLine))
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("read the tape %s: %w", policy.Quote(name, 200), err)
		}
		if err != nil || len(t.findings) >= MaxFindings {
			break
		}
	}
	if len(t.findings) > 0 {
		return nil, &Error{Name: name, Findings: t.findings}
	}
	return t.lines, nil
}

var errTooLong = errors.New("the line is too long")

// readLine is the next line without its end. A line that is too long is not
// kept, nor is what comes after it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, errTooLong
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), err
		}
	}
}

// taker makes Lines of lines.
type taker struct {
	lines    []Line
	findings []Finding
	started  map[string]bool
	rows     int64
	last     time.Duration
	ended    bool
}

func (t *taker) wrong(number int, err error) {
	t.findings = append(t.findings, Finding{number, err.Error()})
}

func (t *taker) take(number int, raw []byte) {
	if number == 1 {
		raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	}
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || raw[0] == '#' {
		return
	}
	l, err := parseLine(raw)
	if err == nil {
		err = t.follows(l)
	}
	if err != nil {
		t.wrong(number, err)
		return
	}
	l.Number = number
	l.At = max(l.At, t.last)
	t.last = l.At
	if isRow(l.Kind) {
		t.rows++
		l.Event.ID = t.rows
	}
	t.lines = append(t.lines, l)
}

// follows says in what way a line cannot come after those before it.
func (t *taker) follows(l Line) error {
	switch {
	case t.ended:
		return errors.New("the tape has ended: nothing follows a line of kind end")
	case l.Kind == cursor.RunStarted && t.started[l.Run]:
		return fmt.Errorf("run %q has started already: a run id is used once", l.Run)
	case l.Kind == cursor.RunStarted:
		t.started[l.Run] = true
	case ofRun(l.Kind) && !t.started[l.Run]:
		return fmt.Errorf("run %q has not started: a line of kind run.started comes first", l.Run)
	case l.Kind == End:
		t.ended = true
	}
	return nil
}
