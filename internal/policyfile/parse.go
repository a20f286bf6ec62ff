package policyfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// Parse reads the text of a policy file; path is what it is called in errors.
// What is wrong is an *Error with every finding.
func Parse(path string, src []byte) (*File, error) {
	settings, findings := document(src)
	c := &collector{findings: findings, monitor: defaultMonitor(), sinks: map[string]*Sink{},
		families: map[string][]setting{}, refused: map[string]bool{}}
	for _, s := range settings {
		c.take(s)
	}
	f := &File{Path: path, Monitor: c.monitor, families: map[string]table{}}
	f.fallback = c.table("[default]", c.fallback, nil)
	for _, family := range c.order {
		f.families[family] = c.table("[family."+family+"]", c.fallback, c.families[family])
	}
	for _, name := range c.named {
		c.checkSink(c.sinks[name])
		f.Sinks = append(f.Sinks, *c.sinks[name])
	}
	if len(c.findings) > 0 {
		slices.SortStableFunc(c.findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
		return nil, &Error{Path: path, Findings: slices.Compact(c.findings)}
	}
	return f, nil
}

// collector sorts settings into their tables and keeps what is wrong.
type collector struct {
	findings []Finding
	fallback []setting
	families map[string][]setting
	order    []string
	monitor  Monitor
	sinks    map[string]*Sink
	named    []string
	refused  map[string]bool // names that were complained about
}

func (c *collector) wrong(line int, format string, args ...any) {
	c.findings = append(c.findings, Finding{line, fmt.Sprintf(format, args...)})
}

func (c *collector) take(s setting) {
	depth := 2 // how many parts the path of a key has
	switch s.path[0] {
	case "default", "monitor":
	case "family", "sink":
		depth = 3
	default:
		what := "key"
		if s.header {
			what = "table"
		}
		c.wrong(s.line, "unknown %s %s: a policy file has [default], [family.NAME], [monitor] and [sink.NAME]", what, name(s))
		return
	}
	top := s.path[0]
	labels := top == "sink" && len(s.path) > 2 && s.path[2] == "labels"
	switch {
	case labels && !s.listed && (s.header && len(s.path) == 3 || !s.header && len(s.path) == 4):
		if c.open(s) && !s.header {
			c.sinkLabel(c.sinks[s.path[1]], s)
		}
	case s.listed:
		c.wrong(s.line, "[[%s]] is written with single brackets, and a name where several can be", quote(strings.Join(s.path, ".")))
	case s.header && len(s.path) == depth-1:
		if depth == 3 {
			c.open(s)
		}
	case s.header && depth == 3 && len(s.path) == 1:
		// [family] alone opens nothing, and is legal.
	case s.header:
		c.wrong(s.line, "unknown table %s", name(s))
	case len(s.path) < depth:
		if depth == 3 {
			c.wrong(s.line, "%s is not in a table with a name: write [%s.NAME] before it", quote(strings.Join(s.path, ".")), top)
		} else {
			c.wrong(s.line, "%s is a table: write [%s]", top, top)
		}
	case len(s.path) > depth:
		c.wrong(s.line, "unknown key %s", quote(strings.Join(s.path, ".")))
	default:
		if depth == 3 && !c.open(s) {
			return
		}
		c.key(s)
	}
}

// open notes the family or sink that s belongs to. It reports whether its name
// is one.
func (c *collector) open(s setting) bool {
	top, called := s.path[0], s.path[1]
	if !cursor.ValidName(called) {
		if c.refused[top+called] {
			return false
		}
		c.refused[top+called] = true
		c.wrong(s.line, "\"%s\" is no name of a %s: a name has 1 to 64 of a-z 0-9 . _ - and starts with a letter or digit",
			policy.Quote(called, 80), top)
		return false
	}
	switch _, known := c.families[called]; {
	case top == "sink" && c.sinks[called] == nil:
		c.sinks[called] = newSink(called, s.line)
		c.named = append(c.named, called)
	case top == "family" && !known:
		c.families[called] = nil
		c.order = append(c.order, called)
	}
	return true
}

func (c *collector) key(s setting) {
	key := s.path[len(s.path)-1]
	switch s.path[0] {
	case "default", "family":
		if new(policy.Policy).Field(key) == nil {
			c.unknown(s, key, policy.Keys())
			return
		}
		if s.path[0] == "default" {
			c.fallback = append(c.fallback, s)
		} else {
			c.families[s.path[1]] = append(c.families[s.path[1]], s)
		}
	case "monitor":
		c.monitorKey(s, key)
	case "sink":
		c.sinkKey(c.sinks[s.path[1]], s, key)
	}
}

func (c *collector) unknown(s setting, key string, known []string) {
	table := "[" + strings.Join(s.path[:len(s.path)-1], ".") + "]"
	hint := "; it knows: " + strings.Join(known, ", ")
	if meant := nearest(key, known); meant != "" {
		hint = "; did you mean " + meant + "?"
	}
	c.wrong(s.line, "unknown key \"%s\" in %s%s", policy.Quote(key, 80), table, hint)
}

// nearest is the known key that key is at most two slips away from.
func nearest(key string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := slips(key, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// slips is the edit distance of two keys; beyond 64 bytes they differ.
func slips(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(b)]
}

func quote(s string) string { return policy.Quote(s, 120) }

func decimal(n int) string { return strconv.Itoa(n) }
