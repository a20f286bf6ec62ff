package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/jsonline"
)

// Exit is an exit record: how an epoch of a run ended. One of Code, Signal and
// Spawn speaks: Spawn when it is not empty, else Signal when it is not 0, else
// Code.
type Exit struct {
	Code    int    // 0 to 255
	Signal  int    // 1 to 127
	Spawn   string // why the command could not be started; untrusted text
	Epoch   int64  // 0 when the record does not say: a bare number never does
	AskedBy string // who asked for the end: worker, user, supervisor, or empty
	Ended   time.Time
	Left    []Leftover // who of the command's descendants lived on
	LeftOut int        // how many more there were than Left has room for
}

// Leftover is a process that outlived the command.
type Leftover struct {
	PID     int    `json:"pid"`
	Command string `json:"command"` // its name, no arguments; untrusted text
}

// Cursor is the record as a Reading has it.
func (e Exit) Cursor() cursor.Exit {
	x := cursor.Exit{Known: true, Code: e.Code, Signal: e.Signal, AskedBy: e.AskedBy}
	if e.Spawn != "" {
		x.Reason = "spawn"
	}
	return x
}

// exitJSON is the file.
type exitJSON struct {
	Code    *int       `json:"code,omitempty"`
	Signal  *int       `json:"signal,omitempty"`
	Spawn   *string    `json:"spawn,omitempty"`
	Epoch   int64      `json:"epoch,omitempty"`
	AskedBy string     `json:"asked_by,omitempty"`
	EndedMS int64      `json:"ended_ms,omitempty"`
	Left    []Leftover `json:"left,omitempty"`
	LeftOut int        `json:"left_out,omitempty"`
}

// exitNames: which of two codes counts is not for a reader to choose, nor
// whether {"Code":0} was a success.
var exitNames = jsonline.NamesOf[exitJSON]()

// encode is the record as a line of at most maxRecord bytes.
func (e Exit) encode() ([]byte, error) {
	rec := exitJSON{Epoch: e.Epoch, AskedBy: e.AskedBy, Left: slices.Clone(e.Left), LeftOut: e.LeftOut}
	if !e.Ended.IsZero() {
		rec.EndedMS = e.Ended.UnixMilli()
	}
	switch {
	case e.Spawn != "":
		spawn := clip(e.Spawn, 512)
		rec.Spawn = &spawn
	case e.Signal != 0:
		rec.Signal = &e.Signal
	default:
		rec.Code = &e.Code
	}
	for i := range rec.Left {
		rec.Left[i].Command = clip(rec.Left[i].Command, 64)
	}
	for {
		line, err := lineOf(rec)
		switch {
		case err != nil:
			return nil, err
		case len(line) <= maxRecord:
			_, err := parseExit(line)
			return line, err
		case len(rec.Left) == 0:
			return nil, fmt.Errorf("a record of %d bytes", len(line))
		}
		rec.Left, rec.LeftOut = rec.Left[:len(rec.Left)-1], rec.LeftOut+1
	}
}

// parseExit reads the content of an exit record: an object, or a number as a
// shell script writes it. It returns ErrEmpty or why it is malformed.
func parseExit(content []byte) (Exit, error) {
	content = bytes.Trim(content, " \t\r\n")
	switch {
	case len(content) == 0:
		return Exit{}, ErrEmpty
	case content[0] == '{':
		return parseExitObject(content)
	case len(content) > 3 || len(bytes.Trim(content, "0123456789")) > 0:
		return Exit{}, fmt.Errorf("%.40q is neither a code from 0 to 255 nor an object", content)
	}
	code, err := strconv.Atoi(string(content))
	if err != nil || code > 255 {
		return Exit{}, fmt.Errorf("%q is no code from 0 to 255", content)
	}
	return Exit{Code: code}, nil
}

func parseExitObject(content []byte) (Exit, error) {
	var rec exitJSON
	if err := exitNames.Read(content, &rec); err != nil {
		return Exit{}, err
	}
	e := Exit{Epoch: rec.Epoch, Left: rec.Left, LeftOut: rec.LeftOut}
	said := 0
	if rec.Code != nil {
		said++
		if e.Code = *rec.Code; e.Code < 0 || e.Code > 255 {
			return Exit{}, fmt.Errorf("code %d is not from 0 to 255", e.Code)
		}
	}
	if rec.Signal != nil {
		said++
		if e.Signal = *rec.Signal; e.Signal < 1 || e.Signal > 127 {
			return Exit{}, fmt.Errorf("signal %d is not from 1 to 127", e.Signal)
		}
	}
	if rec.Spawn != nil {
		said++
		if e.Spawn = *rec.Spawn; e.Spawn == "" {
			return Exit{}, errors.New("spawn does not say why")
		}
	}
	if said != 1 {
		return Exit{}, fmt.Errorf("it names %d of code, signal and spawn, not one", said)
	}
	if e.Epoch < 0 {
		return Exit{}, fmt.Errorf("epoch %d is below 0", e.Epoch)
	}
	switch rec.AskedBy {
	case "worker", "user", "supervisor":
		e.AskedBy = rec.AskedBy
	}
	if rec.EndedMS != 0 {
		e.Ended = time.UnixMilli(rec.EndedMS).UTC()
	}
	return e, nil
}

// clip is the first bytes of s, on a boundary of characters, and without what
// is no text.
func clip(s string, most int) string {
	s = string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut]
}
