package sink

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
)

// ready are the templates that need not be written.
var ready = map[string]string{
	"slack":   `{"text": {{json (print (icon .) " " .Text)}}}`,
	"discord": `{"content": {{json (cut 1900 (print (icon .) " " .Text))}}, "allowed_mentions": {"parse": []}}`,
	"ntfy": `{"topic": {{json .Topic}}, "title": {{if .Run}}{{json (print "progmon: " .Kind " " .Run)}}{{else}}{{json (print "progmon: " .Kind)}}{{end}}, "message": {{json .Text}},` +
		` "priority": {{if eq .Status "firing"}}4{{else}}3{{end}}, "tags": [{{if eq .Status "firing"}}"warning"{{else}}"white_check_mark"{{end}}]}`,
}

// written is what a template is given: the message, and what is worked out of it.
type written struct {
	Message
	Status string            // firing or resolved
	Topic  string            // of ntfy: the last part of the address
	Labels map[string]string // the user's own
}

// newTemplate is a webhook with a body that the user wrote, or a ready one.
func newTemplate(s policyfile.Sink, version string) (*webhook, error) {
	text := ready[s.Format]
	if s.TemplateFile != "" {
		b, err := os.ReadFile(s.TemplateFile)
		if err != nil {
			return nil, fmt.Errorf("read the template: %w", err)
		}
		text = string(b)
	}
	t, err := template.New(s.Name).Option("missingkey=error").Funcs(template.FuncMap{
		"json": func(v any) (string, error) {
			b, err := json.Marshal(v)
			return string(b), err
		},
		"cut": func(n int, text string) string {
			if r := []rune(text); len(r) > n {
				return string(r[:n]) + "…"
			}
			return text
		},
		"icon": func(w written) string {
			if w.Status == firing {
				return "⚠️"
			}
			return "✅"
		},
		"upper": strings.ToUpper,
	}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the template: %w", err)
	}
	w, err := newWebhook(s, version)
	if err != nil {
		return nil, err
	}
	topic := strings.Trim(s.URL, "/")
	topic = topic[strings.LastIndexByte(topic, '/')+1:]
	if s.Format == "ntfy" {
		// JSON goes to the root of the server, and names its topic inside.
		w.sink.URL = strings.TrimSuffix(strings.TrimSuffix(s.URL, "/"), topic)
	}
	w.body = func(m Message) ([]byte, string, error) {
		var b bytes.Buffer
		status := alertStatus(m.Kind)
		for _, s := range m.Signals {
			status = alertStatus(s.Kind) // the last word
		}
		if err := t.Execute(&b, written{m, status, topic, s.Labels}); err != nil {
			return nil, "", fmt.Errorf("the template: %w", err)
		}
		kind := "application/json"
		if !json.Valid(b.Bytes()) {
			kind = "text/plain; charset=utf-8"
		}
		return b.Bytes(), kind, nil
	}
	// What cannot be filled in is found at the start, and not in the night.
	if _, _, err := w.body(testMessage("start", time.Now())); err != nil {
		return nil, err
	}
	return w, nil
}
