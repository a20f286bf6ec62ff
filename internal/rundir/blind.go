package rundir

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/progmon/progmon/cursor"
)

// BlindnessOf puts why a root, a directory or a file cannot be read into the
// words of a verdict. The zero Blindness is for a nil error.
func BlindnessOf(err error) cursor.Blindness {
	if err == nil {
		return cursor.Blindness{}
	}
	_, malformed := errors.AsType[*MalformedError](err)
	b := cursor.Blindness{Reason: "corrupt", Detail: escape(err.Error())}
	switch {
	case errors.Is(err, ErrID), errors.Is(err, ErrNotOurs), malformed:
		b.Reason = "not-a-trail"
	case errors.Is(err, fs.ErrPermission):
		b.Reason = "permission"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrAbsent):
		b.Reason = "no-trail"
	}
	return b
}

// escape makes a stranger's name safe to print: what a terminal would obey is
// written as Go writes it in a string.
func escape(s string) string {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
