package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// sentence joins what is not empty.
func sentence(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(part)
	}
	return b.String()
}

func steps(n int64) string { return plural(n, "step") }

func plural(n int64, word string) string {
	if n != 1 {
		word += "s"
	}
	return count(n) + " " + word
}

// count writes n with a comma between thousands.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// About is a length of time for a person, in two units at most: 450ms, 45s,
// 17m12s, 1h2m, 3d4h. What is negative is 0s.
func About(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		d = d.Truncate(time.Hour)
	case d >= time.Hour:
		d = d.Truncate(time.Minute)
	case d >= time.Second:
		d = d.Truncate(time.Second)
	}
	return FormatDuration(max(d, 0))
}

// Said is a word that somebody typed or wrote as an error says it again: in
// quotes and escaped, and of a long one the first 80 characters and how many
// there are.
func Said(word string) string {
	n := utf8.RuneCountInString(word)
	if n <= 80 {
		return strconv.Quote(word)
	}
	return fmt.Sprintf("%.80q… (%d characters)", word, n)
}

// Quote makes a text from outside safe to show on one line: at most limit
// characters of it, with an escape for whatever a terminal might obey or is not
// text.
func Quote(s string, limit int) string {
	cut := false
	n := 0
	for i := range s {
		if n == limit {
			s, cut = s[:i], true
			break
		}
		n++
	}
	plain := utf8.ValidString(s)
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= ' ' && s[i] < 0x7f && s[i] != '\\'
	}
	if !plain {
		s = strconv.QuoteToGraphic(s)
		s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	}
	if cut {
		s += "…"
	}
	return s
}
