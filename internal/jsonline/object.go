// Package jsonline reads a JSON object that is one line: of a tape, of a
// worker, or the whole of a record. It is strict where encoding/json is not:
// that takes a name in any case, and of a name that is there twice the last
// one, so what was meant would be forgotten without a word.
package jsonline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNoObject says that a line is not one JSON object and nothing else.
var ErrNoObject = errors.New("this is no JSON object")

// Member is a name and what it stands for, as it was written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members appends to members those of the object that line is, in the order in
// which they were written; their values are parts of line. It returns
// ErrNoObject for what is no object, and an error that names the member for one
// that is there twice.
func Members(line []byte, members []Member) ([]Member, error) {
	rest := bytes.TrimLeft(line, " \t\r\n")
	if len(rest) == 0 || rest[0] != '{' || !json.Valid(line) {
		return nil, ErrNoObject
	}
	// What follows is valid, so nothing is looked at that need not be.
	for rest = rest[1:]; ; rest = rest[1:] {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if rest[0] == '}' {
			return members, nil
		}
		n := textEnd(rest)
		name, err := unquoted(rest[:n])
		if err != nil {
			return nil, err
		}
		for i := range members {
			if members[i].Name == name {
				return nil, fmt.Errorf("the field %.40q is there twice", name)
			}
		}
		rest = bytes.TrimLeft(rest[n:], " \t\r\n:")
		n = valueEnd(rest)
		members = append(members, Member{name, json.RawMessage(bytes.TrimRight(rest[:n], " \t\r\n"))})
		if rest = rest[n:]; rest[0] == '}' {
			return members, nil
		}
	}
}

// textEnd is where the text ends that b begins with, behind its quote.
func textEnd(b []byte) int {
	for i := 1; ; i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// valueEnd is where the value ends that b begins with: at the comma or brace
// behind it.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; ; i++ {
		switch b[i] {
		case '"':
			i += textEnd(b[i:]) - 1
		case '{', '[':
			depth++
		case ']':
			depth--
		case '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
}

func unquoted(text []byte) (string, error) {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1]), nil
	}
	var s string
	err := json.Unmarshal(text, &s)
	return s, err
}
