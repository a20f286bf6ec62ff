package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/progmon/progmon/internal/jsonline"
	"github.com/progmon/progmon/internal/presence"
)

// PID is worker.pid: who the command of an epoch is. The command leads a
// process group of its own, with the same number.
type PID struct {
	presence.Identity
	// Epoch is 0 when the file does not say: a bare number never does.
	Epoch int64 `json:"epoch,omitempty"`
	// Wrapper is who will write the exit record, nil when the file does not
	// say. A bare number, as a shell script writes it, names the script itself.
	Wrapper *presence.Identity `json:"wrapper,omitempty"`
	// Written is when the file was written, by the wall clock. Read only.
	Written time.Time `json:"-"`
}

// WritePID says who the command is. The command may start when it has returned
// nil: from then on there is always somebody to look for.
func (d *Dir) WritePID(p PID) error {
	if p.PID < 1 || p.PID > maxPID {
		return fmt.Errorf("write %s: %d is no process", d.File(PIDFile), p.PID)
	}
	return d.putJSON(PIDFile, p)
}

// maxPID is beyond what any kernel numbers.
const maxPID = 1 << 30

// ReadPID reads worker.pid, ours or a bare number. It returns ErrAbsent,
// ErrEmpty, a MalformedError, or why it cannot be read.
func (r *Reader) ReadPID() (PID, error) {
	content, info, err := r.read(PIDFile, maxRecord)
	if err != nil {
		return PID{}, err
	}
	p, err := parsePID(content)
	switch {
	case errors.Is(err, ErrEmpty):
		return PID{}, fmt.Errorf("%s: %w", r.File(PIDFile), ErrEmpty)
	case err != nil:
		return PID{}, &MalformedError{PIDFile, err.Error()}
	}
	p.Written = info.ModTime()
	if p.Bare() {
		// It was right when it was written, and when the log last grew.
		p.Noted = p.Written
		if logged := r.modified(LogFile); logged.After(p.Noted) {
			p.Noted = logged
		}
	}
	return p, nil
}

var pidNames = jsonline.NamesOf[PID]()

func parsePID(content []byte) (PID, error) {
	content = bytes.Trim(content, " \t\r\n")
	var p PID
	switch {
	case len(content) == 0:
		return PID{}, ErrEmpty
	case content[0] == '{':
		if err := pidNames.Read(content, &p); err != nil {
			return PID{}, err
		}
	case len(content) > 10 || len(bytes.Trim(content, "0123456789")) > 0:
		return PID{}, fmt.Errorf("%.40q is neither a number nor an object", content)
	default:
		n, err := strconv.ParseInt(string(content), 10, 64)
		if err != nil || n > maxPID {
			return PID{}, fmt.Errorf("%s is no process", content)
		}
		p.PID = int(n)
	}
	switch {
	case p.PID < 1 || p.PID > maxPID:
		return PID{}, fmt.Errorf("%d is no process", p.PID)
	case p.Epoch < 0:
		return PID{}, fmt.Errorf("epoch %d is below 0", p.Epoch)
	case p.Wrapper != nil && (p.Wrapper.PID < 1 || p.Wrapper.PID > maxPID):
		return PID{}, fmt.Errorf("its wrapper %d is no process", p.Wrapper.PID)
	}
	return p, nil
}
