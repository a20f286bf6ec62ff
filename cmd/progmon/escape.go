package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// printable is s with everything a terminal might obey written as an escape:
// control bytes, bytes that are no UTF-8, and the characters that reorder or
// hide text. Names and reasons come from strangers.
func printable(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r):
			b.WriteString(s[i : i+size])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// printableJSON is the JSON text line with what printable would escape in its
// strings written as JSON escapes: it means the same to a machine, and does
// nothing to the terminal of a person who looks at it.
func printableJSON(line []byte) []byte {
	if isPlain(string(line)) {
		return line
	}
	safe := make([]byte, 0, len(line)+16)
	for _, r := range string(line) {
		switch {
		case r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r):
			safe = utf8.AppendRune(safe, r)
		case r < 0x10000:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, high, low)
		}
	}
	return safe
}

// isPlain says that s is printable ASCII and needs no work.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
