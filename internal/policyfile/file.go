// Package policyfile reads the policy file: strict TOML with the thresholds of
// each family, the monitor's own settings, and the sinks. Everything that is
// wrong with a file is reported, each with its line, and nothing of a file that
// has a fault is used.
package policyfile

import (
	"fmt"
	"slices"

	"github.com/progmon/progmon/policy"
)

// File is a policy file that was found right. A File is not changed once made.
type File struct {
	Path    string // as it was named; empty when there is no file
	Monitor Monitor
	Sinks   []Sink // in the order of the file

	fallback table            // [default] over what is built in
	families map[string]table // [family.NAME] over that
}

// table is the thresholds of [default] or of one family, with where each came
// from: its line, or a word.
type table struct {
	policy policy.Policy
	origin map[string]string
}

// Builtin is the file that there is none: the thresholds that are built in.
func Builtin() *File {
	return &File{Monitor: defaultMonitor(), fallback: table{policy: policy.Default()}}
}

// For is the thresholds in force for family. A family without a table of its
// own has those of [default]. From names the table.
func (f *File) For(family string) policy.Policy { return f.table(family).policy }

// Origin says where the value of key comes from that is in force for family:
// "built in", "[default], line 3", "[family.nightly], line 9", or what it was
// derived from.
func (f *File) Origin(family, key string) string {
	if where, ok := f.table(family).origin[key]; ok {
		return where
	}
	return "built in"
}

func (f *File) table(family string) table {
	if t, ok := f.families[family]; ok {
		return t
	}
	return f.fallback
}

// Families are the families that have a table, in the order of their names.
func (f *File) Families() []string {
	names := make([]string, 0, len(f.families))
	for name := range f.families {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Finding is one thing that is wrong with a policy file.
type Finding struct {
	Line int // 0: it is about the file as a whole
	Text string
}

// Error is what is wrong with a policy file, in the order of its lines. A
// program that gets one exits with 78.
type Error struct {
	Path     string
	Findings []Finding
}

// Error is a line for each finding, PATH:LINE: TEXT.
func (e *Error) Error() string {
	var text string
	for i := range e.Findings {
		if i > 0 {
			text += "\n"
		}
		text += e.finding(i).Error()
	}
	return text
}

// Unwrap gives each finding as an error of its own.
func (e *Error) Unwrap() []error {
	all := make([]error, len(e.Findings))
	for i := range e.Findings {
		all[i] = e.finding(i)
	}
	return all
}

func (e *Error) finding(i int) error {
	f, path := e.Findings[i], policy.Quote(e.Path, 200)
	if f.Line == 0 {
		return fmt.Errorf("%s: %s", path, f.Text)
	}
	return fmt.Errorf("%s:%d: %s", path, f.Line, f.Text)
}
