package store

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/progmon/progmon/cursor"
)

// A trail is written by strangers too, and a client can switch its CHECKs off.
// The cells below take whatever a row holds and remember when it is not what
// the schema promises, so that one bad row is one blind run and hides no other.

// cell takes one column of a row, and never fails.
type cell interface{ take(value) }

// fill puts a row into its cells.
func fill(cells []cell, row []value) {
	for i, c := range cells {
		c.take(row[i])
	}
}

// num is a cell that should hold a whole number or NULL.
type num struct {
	n        int64
	set, bad bool
}

func (c *num) take(v value) {
	*c = num{}
	switch v := v.(type) {
	case nil:
	case int64:
		c.n, c.set = v, true
	default:
		c.bad = true
	}
}

// text is a cell that should hold text or NULL. A text that was read as a blob,
// to keep what comes after a NUL in it, counts as text.
type text struct {
	s        string
	set, bad bool
}

func (c *text) take(v value) {
	*c = text{}
	switch v := v.(type) {
	case nil:
	case string:
		c.s, c.set = v, true
	case []byte:
		c.s, c.set = string(v), true
	default:
		c.s, c.bad = fmt.Sprint(v), true
	}
	c.bad = c.bad || !utf8.ValidString(c.s)
}

// lastMS is the end of the year 9999: no stamp is shown beyond it, because no
// JSON time can be.
const lastMS = 253402300799999

// stamp is the wall time of a cell of unix milliseconds, zero for NULL. A stamp
// out of all reason is brought to the nearest that can be written.
func (c num) stamp() time.Time {
	if !c.set {
		return time.Time{}
	}
	return time.UnixMilli(min(max(c.n, 0), lastMS)).UTC()
}

// length is the duration of a cell of milliseconds, between 0 and cursor.Longest.
func (c num) length() time.Duration {
	return time.Duration(min(max(c.n, 0), cursor.Longest.Milliseconds())) * time.Millisecond
}
