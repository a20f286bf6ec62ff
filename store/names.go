package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The longest texts that the trail keeps, in bytes.
const (
	maxStepName = 200
	maxKeptText = 4096
)

// ParseStep reads a step as people write it: its number, or its name. What
// looks like a number is one, so a name made of digits can only be reached by
// its number. It returns an error for what no step can be called.
func ParseStep(text string) (StepRef, error) {
	digits := strings.TrimLeft(text, "+-")
	switch {
	case text == "":
		return StepRef{}, errors.New("a step has a number or a name, and not an empty one")
	case digits != "" && strings.Trim(digits, "0123456789") == "":
		pos, err := strconv.ParseInt(text, 10, 64)
		if err != nil || pos < 1 {
			return StepRef{}, fmt.Errorf("step %.80s: steps count from 1", text)
		}
		return Pos(pos), nil
	}
	if err := CheckStepName(text); err != nil {
		return StepRef{}, err
	}
	return Named(text), nil
}

// CheckStepName says what is wrong with a name that a step is to be given: it
// is 1 to 200 bytes of UTF-8 on one line, and not made of digits alone, which
// would be read as a number.
func CheckStepName(name string) error {
	switch {
	case name == "":
		return errors.New("a step name is not empty")
	case len(name) > maxStepName:
		return fmt.Errorf("a step name is at most %d bytes, and this one has %d", maxStepName, len(name))
	case !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\n\r"):
		return fmt.Errorf("%q is no step name: it is one line of text", name)
	case strings.Trim(name, "0123456789") == "":
		return fmt.Errorf("%q is no step name: it would be read as a number", name)
	}
	return nil
}

// KeptText is text as a note or a reason is kept: valid UTF-8 without NUL, cut
// at 4096 bytes. What a tool printed when it failed is often longer, and the
// failure is worth more than the end of it.
func KeptText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxKeptText {
		return text
	}
	const more = "…"
	cut := maxKeptText - len(more)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + more
}
