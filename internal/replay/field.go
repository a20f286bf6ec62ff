package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// fields are the members of a line. The first fault sticks.
type fields struct {
	raw map[string]json.RawMessage
	err error
}

const (
	maxAt  = 4_000_000_000 * time.Second // past the year 2090 in unix time
	maxFor = 1_000_000_000 * time.Second
)

func (f *fields) wrong(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

// has says that a field is there and not null.
func (f *fields) has(name string) bool {
	raw, ok := f.raw[name]
	return ok && string(raw) != "null"
}

func (f *fields) text(name string) string {
	var s string
	if !f.has(name) {
		f.wrong("the field %s is missing", name)
	} else if json.Unmarshal(f.raw[name], &s) != nil || s == "" {
		f.wrong("%s is text, not %s", name, f.shown(name))
	} else if len(s) > 4096 {
		f.wrong("%s has at most 4096 bytes", name)
	}
	return s
}

// name is a name that a run or a family can have.
func (f *fields) name(field string) string {
	s := f.text(field)
	if f.err == nil && !cursor.ValidName(s) {
		f.wrong("\"%s\" is no name of a %s", policy.Quote(s, 80), field)
	}
	return s
}

func (f *fields) flag(name string) bool {
	var b bool
	if f.has(name) && json.Unmarshal(f.raw[name], &b) != nil {
		f.wrong("%s is true or false, not %s", name, f.shown(name))
	}
	return b
}

// whole is a whole number, written as one or with zeros behind the point.
func (f *fields) whole(name string) int64 {
	n, ok := f.number(name)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		f.wrong("%s is a whole number, not %s", name, f.shown(name))
		return 0
	}
	return int64(n)
}

func (f *fields) count(name string, least int64) int64 {
	n := f.whole(name)
	if n < least {
		f.wrong("%s is at least %d, not %s", name, least, f.shown(name))
	}
	return n
}

func (f *fields) optional(name string) int64 {
	if !f.has(name) {
		return 0
	}
	return f.count(name, 0)
}

func (f *fields) number(name string) (float64, bool) {
	var n float64
	if !f.has(name) {
		f.wrong("the field %s is missing", name)
		return 0, false
	}
	return n, json.Unmarshal(f.raw[name], &n) == nil
}

// seconds is a length of time or an instant of the tape, to the millisecond.
func (f *fields) seconds(name string, least, most time.Duration) time.Duration {
	n, ok := f.number(name)
	switch {
	case !ok:
		f.wrong("%s is a number of seconds, not %s", name, f.shown(name))
		return 0
	case n < least.Seconds() || n > most.Seconds():
		f.wrong("%s is between %.0f and %.0f seconds, not %s", name, least.Seconds(), most.Seconds(), f.shown(name))
		return 0
	}
	return time.Duration(math.Round(n*1000)) * time.Millisecond
}

func (f *fields) positive(name string) time.Duration {
	d := f.seconds(name, 0, maxFor)
	if d <= 0 {
		f.wrong("%s is longer than 0, not %s", name, f.shown(name))
	}
	return d
}

func (f *fields) shown(name string) string { return policy.Quote(string(f.raw[name]), 40) }
