package policyfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// Sink is where signals are delivered: one [sink.NAME].
type Sink struct {
	Name string
	Type string // jsonl, exec, webhook, alertmanager or template
	Line int    // where its table begins

	Path string   // jsonl
	Argv []string // exec
	URL  string   // webhook, alertmanager, template

	Secret     string // at most one of the two
	SecretFile string
	// Of a template: the name of a ready one, or the file that it is in.
	Format, TemplateFile string

	Deadline time.Duration // of one delivery

	// Labels are the user's own, for the alerts of a webhook or an alertmanager.
	Labels map[string]string

	// Filters: an empty list lets everything pass.
	Families, Kinds, States []string

	lines map[string]int
}

func newSink(name string, line int) *Sink {
	return &Sink{Name: name, Line: line, Deadline: 10 * time.Second, lines: map[string]int{}}
}

func sinkKeys() []string {
	return []string{"type", "url", "argv", "path", "secret", "secret_file", "format", "template_file", "deadline", "labels", "families", "kinds", "states"}
}

// sinkLabel takes one of [sink.NAME.labels].
func (c *collector) sinkLabel(k *Sink, s setting) {
	name := s.path[len(s.path)-1]
	switch {
	case !labelName(name):
		c.wrong(s.line, "labels: \"%s\" is no name of a label: a name has letters, digits and _, and no digit first", policy.Quote(name, 80))
	case slices.Contains([]string{"alertname", "run", "family"}, name):
		c.wrong(s.line, "labels: %s is set by progmon", name)
	case s.value.kind != text || s.value.text == "":
		c.wrong(s.line, "%v", wants("labels."+name, "text", s.value))
	default:
		if k.Labels == nil {
			k.Labels = map[string]string{}
		}
		k.Labels[name] = s.value.text
		k.lines["labels"] = s.line
	}
}

// labelName reports whether Prometheus takes name for a label.
func labelName(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !strings.HasPrefix(name, "__")
}

// formats are the templates that need not be written.
func formats() []string { return []string{"slack", "discord", "ntfy"} }

// place is the key that says where a sink of a type delivers to.
func place(sinkType string) string {
	switch sinkType {
	case "jsonl":
		return "path"
	case "exec":
		return "argv"
	case "webhook", "alertmanager", "template":
		return "url"
	}
	return ""
}

// kinds are what a filter may name: the signals, and blindness.
func kinds() []string {
	return []string{
		policy.SignalStalled, policy.SignalEscalated, policy.SignalRecovered, policy.SignalRespawned, policy.SignalGaveUp,
		policy.SignalWrapUp, policy.SignalDone, policy.SignalFailed, policy.SignalTimeout, policy.SignalCancelled,
		"blind", "sighted",
	}
}

func states() []string {
	var all []string
	for _, s := range policy.States() {
		all = append(all, string(s))
	}
	return all
}

func (c *collector) sinkKey(k *Sink, s setting, key string) {
	if !slices.Contains(sinkKeys(), key) {
		c.unknown(s, key, sinkKeys())
		return
	}
	k.lines[key] = s.line
	var err error
	str := func(p *string) {
		if s.value.kind != text || s.value.text == "" {
			err = wants(key, "text", s.value)
			return
		}
		*p = s.value.text
	}
	among := func(p *[]string, known []string) {
		if *p, err = words(key, s.value); err != nil {
			return
		}
		for _, word := range *p {
			if !slices.Contains(known, word) {
				c.wrong(s.line, "%s knows no \"%s\"; it knows: %s", key, policy.Quote(word, 80), strings.Join(known, ", "))
			}
		}
	}
	switch key {
	case "type":
		str(&k.Type)
		if err == nil && place(k.Type) == "" {
			c.wrong(s.line, "type \"%s\" is none that a sink has: it is jsonl, exec, webhook, alertmanager or template", policy.Quote(k.Type, 80))
		}
	case "url":
		k.URL, err = address(key, s.value)
	case "argv":
		if k.Argv, err = words(key, s.value); err == nil && (len(k.Argv) == 0 || k.Argv[0] == "") {
			c.wrong(s.line, "argv is empty: its first text is the program")
		}
	case "path":
		str(&k.Path)
	case "secret":
		str(&k.Secret)
	case "secret_file":
		str(&k.SecretFile)
	case "format":
		if str(&k.Format); err == nil && !slices.Contains(formats(), k.Format) {
			c.wrong(s.line, "format \"%s\" is none that there is: it is %s", policy.Quote(k.Format, 80), strings.Join(formats(), ", "))
		}
	case "template_file":
		str(&k.TemplateFile)
	case "deadline":
		if k.Deadline, err = duration(key, s.value); err == nil && k.Deadline <= 0 {
			c.wrong(s.line, "deadline is zero: it must be longer")
		}
	case "labels":
		err = fmt.Errorf("labels is a table: write [sink.%s.labels]", k.Name)
	case "families":
		if k.Families, err = words(key, s.value); err == nil {
			for _, family := range k.Families {
				if !cursor.ValidName(family) {
					c.wrong(s.line, "families: \"%s\" is no name of a family", policy.Quote(family, 80))
				}
			}
		}
	case "kinds":
		among(&k.Kinds, kinds())
	case "states":
		among(&k.States, states())
	}
	if err != nil {
		c.wrong(s.line, "%v", err)
	}
}

// checkSink reports what a sink lacks, and what has no place in one of its type.
func (c *collector) checkSink(k *Sink) {
	if k.lines["type"] == 0 {
		c.wrong(k.Line, "[sink.%s] has no type: it is jsonl, exec, webhook, alertmanager or template", k.Name)
		return
	}
	want := place(k.Type)
	if want == "" {
		return
	}
	if k.lines[want] == 0 {
		c.wrong(k.Line, "[sink.%s] is of type %s and has no %s", k.Name, k.Type, want)
	}
	for _, key := range []string{"url", "argv", "path"} {
		if key != want && k.lines[key] != 0 {
			c.wrong(k.lines[key], "%s has no place in a sink of type %s", key, k.Type)
		}
	}
	for _, key := range []string{"format", "template_file"} {
		if k.lines[key] != 0 && k.Type != "template" {
			c.wrong(k.lines[key], "%s has no place in a sink of type %s", key, k.Type)
		}
	}
	if given := (k.lines["format"] != 0) != (k.lines["template_file"] != 0); !given && k.Type == "template" {
		c.wrong(k.Line, "[sink.%s] is of type template and has not one of format and template_file", k.Name)
	}
	if k.lines["secret"] != 0 && k.lines["secret_file"] != 0 {
		c.wrong(k.lines["secret_file"], "secret and secret_file are both given: keep one")
	}
}
