package policyfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
)

// table puts the settings of [default] and then those of a family over what is
// built in, and checks that they agree.
func (c *collector) table(called string, fallback, own []setting) table {
	t := table{policy: policy.Default(), origin: map[string]string{}}
	lines := map[string]int{}
	isDefault := called == "[default]"
	t.put(c, "[default]", fallback, lines, isDefault)
	t.put(c, called, own, lines, true)
	if len(fallback) > 0 && isDefault || !isDefault && len(own) > 0 {
		t.policy.From = called
	} else if len(fallback) > 0 {
		t.policy.From = "[default]"
	}
	if lines["checkpoint_interval"] == 0 && fitCheckpoint(&t.policy) {
		t.origin["checkpoint_interval"] = "two fifths of idle_window"
	}
	c.contradictions(t.policy, called, own, lines)
	return t
}

// fitCheckpoint is for a policy in which nobody wrote how often to mark: where
// that does not fit the idle_window it is put into the proportion that is built
// in, rather than refused for a key that is not there.
func fitCheckpoint(p *policy.Policy) bool {
	if p.CheckpointInterval < p.IdleWindow || p.IdleWindow <= 0 {
		return false
	}
	p.CheckpointInterval = p.IdleWindow * 2 / 5
	return true
}

// put sets what settings say. Their faults are reported once, by the table
// that they stand in.
func (t *table) put(c *collector, called string, settings []setting, lines map[string]int, report bool) {
	for _, s := range settings {
		key := s.path[len(s.path)-1]
		if err := set(&t.policy, key, s.value); err != nil {
			if report {
				c.wrong(s.line, "%v", err)
			}
			continue
		}
		lines[key] = s.line
		t.origin[key] = fmt.Sprintf("%s, line %d", called, s.line)
	}
}

// contradictions reports what p has against itself. A family whose own table
// does not touch the keys repeats what was said of [default].
func (c *collector) contradictions(p policy.Policy, called string, own []setting, lines map[string]int) {
	joined, ok := p.Validate().(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, err := range joined.Unwrap() {
		wrong, ok := errors.AsType[*policy.Contradiction](err)
		if !ok {
			continue
		}
		touched := slices.ContainsFunc(own, func(s setting) bool {
			return slices.Contains(wrong.Keys, s.path[len(s.path)-1])
		})
		if called != "[default]" && !touched {
			continue
		}
		line := 0
		for _, s := range own {
			if slices.Contains(wrong.Keys, s.path[len(s.path)-1]) {
				line = max(line, s.line)
			}
		}
		var notes []string
		for _, key := range wrong.Keys {
			switch at := lines[key]; {
			case at == 0:
				notes = append(notes, key+" is built in")
			case line == 0:
				line = at
			case at != line:
				notes = append(notes, fmt.Sprintf("%s is in line %d", key, at))
			}
		}
		says := called + ": " + wrong.Says
		if len(notes) > 0 {
			says += "; " + strings.Join(notes, ", ")
		}
		c.wrong(line, "%s", says)
	}
}

// set puts the value of a key into p.
func set(p *policy.Policy, key string, v value) error {
	switch field := p.Field(key).(type) {
	case *time.Duration:
		if key == "max_runtime" && v.kind == text && v.text == "none" {
			*field = 0
			return nil
		}
		d, err := duration(key, v)
		if err == nil {
			*field = d
		}
		return err
	case *int64:
		n, err := whole(key, v)
		if err == nil {
			*field = n
		}
		return err
	case *float64:
		f, err := number(key, v)
		if err == nil {
			*field = f
		}
		return err
	case *bool:
		if v.kind != boolean {
			return wants(key, "true or false", v)
		}
		*field = v.text == "true"
	case *string:
		if v.kind != text {
			return wants(key, `text, such as "observe"`, v)
		}
		*field = v.text
	}
	return nil
}
