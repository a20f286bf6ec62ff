package sink

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
)

// The names of alerts, alertname among the labels. An episode has one from the
// first signal to the last.
const (
	alertStalled = "RunStalled"
	alertBlind   = "MonitorBlind"
)

// alertName is the alert that a kind of signal is about.
func alertName(kind string) string {
	switch kind {
	case policy.SignalStalled, policy.SignalEscalated, policy.SignalRecovered:
		return alertStalled
	case KindBlind, KindSighted:
		return alertBlind
	case KindTest:
		return "ProgmonTest"
	}
	name := "Run"
	for part := range strings.SplitSeq(kind, "-") { // gave-up is RunGaveUp
		if part != "" {
			name += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return name
}

const (
	firing   = "firing"
	resolved = "resolved"
)

// alertStatus says whether a kind of signal is the beginning of something or its
// end.
func alertStatus(kind string) string {
	switch kind {
	case policy.SignalRecovered, policy.SignalDone, policy.SignalCancelled, KindSighted:
		return resolved
	}
	return firing
}

// payload is the body of Alertmanager's webhook receiver, version 4.
type payload struct {
	Version           string            `json:"version"`
	GroupKey          string            `json:"groupKey"`
	TruncatedAlerts   uint64            `json:"truncatedAlerts"`
	Status            string            `json:"status"`
	Receiver          string            `json:"receiver"`
	GroupLabels       map[string]string `json:"groupLabels"`
	CommonLabels      map[string]string `json:"commonLabels"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	ExternalURL       string            `json:"externalURL"`
	Alerts            []alert           `json:"alerts"`
}

type alert struct {
	Status       string            `json:"status"`
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"` // zero while it fires
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

// labelsOf are the labels of a signal's alert: the same from firing to resolved,
// since they are its identity. The user's own come on top, and replace none.
func labelsOf(s *Signal, own map[string]string) map[string]string {
	labels := maps.Clone(own)
	if labels == nil {
		labels = map[string]string{}
	}
	labels["alertname"] = alertName(s.Kind)
	if s.Run != "" {
		labels["run"] = s.Run
	}
	if s.Family != "" {
		labels["family"] = s.Family
	}
	return labels
}

// annotationsOf is what changes from one signal of an alert to the next.
func annotationsOf(s *Signal, text, id string) map[string]string {
	notes := map[string]string{"summary": text, "signal": s.Kind, "id": id}
	put := func(name, value string) {
		if value != "" {
			notes[name] = value
		}
	}
	number := func(name string, n *int64) {
		if n != nil {
			notes[name] = strconv.FormatInt(*n, 10)
		}
	}
	put("state", s.State)
	put("reason", s.Reason)
	put("detail", s.Detail)
	number("position", s.Position)
	number("total", s.Total)
	if s.Run != "" && s.SilenceS > 0 {
		put("silence", policy.FormatDuration(time.Duration(s.SilenceS*float64(time.Second)).Round(time.Second)))
	}
	if s.Event != 0 {
		number("event", &s.Event)
	}
	return notes
}

// alertOf is a signal as an alert.
func alertOf(s *Signal, text, id string, own map[string]string) alert {
	a := alert{Status: alertStatus(s.Kind), Labels: labelsOf(s, own), Annotations: annotationsOf(s, text, id), StartsAt: s.At}
	if s.Began != nil {
		a.StartsAt = *s.Began
	}
	if a.Status == resolved {
		a.EndsAt = s.At
	}
	a.Fingerprint = fingerprint(a.Labels)
	return a
}

// alertmanagerBody is a message as Alertmanager would post it to the receiver.
func alertmanagerBody(m Message, receiver string, own map[string]string) payload {
	p := payload{Version: "4", Receiver: receiver, Status: resolved, Alerts: []alert{}}
	switch {
	case len(m.Signals) == 0:
		p.Alerts = append(p.Alerts, alertOf(&m.Signal, m.Text, m.ID, own))
	case m.ofOneRun():
		// The last word on each alert, which begins with the first.
		at := map[string]int{}
		for i := range m.Signals {
			a := alertOf(&m.Signals[i], m.Text, m.ID, own)
			if k, known := at[a.Fingerprint]; known {
				a.StartsAt = p.Alerts[k].StartsAt
				p.Alerts[k] = a
				continue
			}
			at[a.Fingerprint] = len(p.Alerts)
			p.Alerts = append(p.Alerts, a)
		}
	default:
		for i := range m.Signals {
			s := &m.Signals[i]
			p.Alerts = append(p.Alerts, alertOf(s, s.text(), m.ID, own))
		}
		told := uint64(0)
		for _, c := range m.Counts {
			told += uint64(c.Signals)
		}
		p.TruncatedAlerts = told - min(told, uint64(len(m.Signals)))
	}
	for _, a := range p.Alerts {
		if a.Status == firing {
			p.Status = firing
		}
	}
	p.CommonLabels, p.CommonAnnotations = common(p.Alerts, func(a alert) map[string]string { return a.Labels }),
		common(p.Alerts, func(a alert) map[string]string { return a.Annotations })
	if len(m.Signals) > 0 && !m.ofOneRun() {
		p.CommonAnnotations["summary"] = m.Text
	}
	p.GroupLabels = map[string]string{}
	for _, name := range []string{"alertname", "run"} {
		if v, ok := p.CommonLabels[name]; ok {
			p.GroupLabels[name] = v
		}
	}
	p.GroupKey = "{}:" + labelText(p.GroupLabels)
	return p
}

// common is what all alerts have alike.
func common(alerts []alert, of func(alert) map[string]string) map[string]string {
	same := maps.Clone(of(alerts[0]))
	for _, a := range alerts[1:] {
		for name, v := range same {
			if of(a)[name] != v {
				delete(same, name)
			}
		}
	}
	return same
}

// labelText is labels as Alertmanager writes them in a group's key.
func labelText(labels map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+strconv.Quote(labels[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fingerprint is the name that Prometheus gives to a set of labels: FNV-1a over
// names and values in order, each with a byte 255 after it.
func fingerprint(labels map[string]string) string {
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		_, _ = h.Write([]byte(name)) // a hash takes everything
		_, _ = h.Write([]byte{255})
		_, _ = h.Write([]byte(labels[name]))
		_, _ = h.Write([]byte{255})
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
