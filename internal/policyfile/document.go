package policyfile

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// kind is what a value of the file is.
type kind string

const (
	text    kind = "text"
	integer kind = "a whole number"
	float   kind = "a number"
	boolean kind = "true or false"
	list    kind = "a list"
	group   kind = "a table"
	date    kind = "a date"
)

// value is a value of the file, kept from the parser's memory.
type value struct {
	kind  kind
	text  string
	line  int
	items []value
}

// setting is a key with its whole path, such as [family nightly stall_after],
// or, without a value, the header of a table.
type setting struct {
	path   []string
	line   int
	value  value
	header bool
	listed bool // [[...]]
}

// document reads TOML into settings. It reports bad syntax, and keys and
// tables that are given twice, each with its line, as far as the file can be
// read.
func document(src []byte) (settings []setting, findings []Finding) {
	if i := slices.Index(src, 0); i >= 0 {
		return nil, []Finding{{Line: 1 + strings.Count(string(src[:i]), "\n"), Text: "a NUL byte has no place in a policy file"}}
	}
	settings = settingsOf(src)
	first := map[string]int{}
	for _, s := range settings {
		id := strings.Join(s.path, "\x00")
		if s.header {
			id = "[" + id
		}
		if line, twice := first[id]; twice && !s.listed {
			findings = append(findings, Finding{s.line, name(s) + " is given twice, first in line " + decimal(line)})
			continue
		}
		first[id] = s.line
	}
	// The parser below knows syntax; the one above it all of TOML's rules. It
	// stops at the first breach.
	var whole map[string]any
	if err := toml.Unmarshal(src, &whole); err != nil {
		f := Finding{Text: strings.TrimPrefix(err.Error(), "toml: ")}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			f.Line, _ = at.Position()
		}
		if !slices.ContainsFunc(findings, func(known Finding) bool { return known.Line == f.Line }) {
			findings = append(findings, f)
		}
	}
	return settings, findings
}

// settingsOf takes the settings from src, up to where its syntax is broken.
func settingsOf(src []byte) (settings []setting) {
	p := reader{src: src, line: 1}
	p.Reset(src)
	var under []string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			path, line := p.key(node)
			under = path
			settings = append(settings, setting{path: path, line: line, header: true, listed: node.Kind == unstable.ArrayTable})
		case unstable.KeyValue:
			settings = append(settings, p.settings(node, under)...)
		}
	}
	return settings
}

func name(s setting) string {
	path := strings.Join(s.path, ".")
	if s.header {
		return "[" + quote(path) + "]"
	}
	return quote(path)
}

// reader is the parser with what is taken from its nodes.
type reader struct {
	unstable.Parser
	src  []byte
	at   int // the offset that line is of
	line int
}

// lineOf is the line of an offset. The parser would count it from the first
// byte for each key; keys come one after the other.
func (p *reader) lineOf(offset int) int {
	if offset < p.at {
		p.at, p.line = 0, 1
	}
	p.line += bytes.Count(p.src[p.at:offset], []byte{'\n'})
	p.at = offset
	return p.line
}

// key is the dotted key of a node, and its line.
func (p *reader) key(node *unstable.Node) (path []string, line int) {
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if line == 0 {
			line = p.lineOf(int(part.Raw.Offset))
		}
		path = append(path, string(part.Data))
	}
	return path, line
}

// settings are a key with its value; an inline table is the settings in it.
func (p *reader) settings(node *unstable.Node, under []string) []setting {
	path, line := p.key(node)
	path = append(slices.Clone(under), path...)
	if v := node.Value(); v.Kind == unstable.InlineTable {
		all := []setting{{path: path, line: line, header: true}}
		for it := v.Children(); it.Next(); {
			all = append(all, p.settings(it.Node(), path)...)
		}
		return all
	}
	return []setting{{path: path, line: line, value: p.value(node.Value(), line)}}
}

func (p *reader) value(node *unstable.Node, line int) value {
	v := value{text: string(node.Data), line: line}
	switch node.Kind {
	case unstable.String:
		v.kind = text
	case unstable.Integer:
		v.kind = integer
	case unstable.Float:
		v.kind = float
	case unstable.Bool:
		v.kind = boolean
	case unstable.Array:
		v.kind = list
		for it := node.Children(); it.Next(); {
			if it.Node().Kind != unstable.Comment {
				v.items = append(v.items, p.value(it.Node(), line))
			}
		}
	case unstable.InlineTable:
		v.kind = group
	default:
		v.kind = date
	}
	return v
}
