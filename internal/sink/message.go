package sink

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// The kinds of messages that are no signal of the log.
const (
	KindBlind   = "blind"   // the monitor cannot see
	KindSighted = "sighted" // it sees again
	KindTest    = "test"    // somebody tries a sink out
)

// Message is what a sink is told. Its JSON is what a jsonl and an exec sink
// get: fields are only ever added.
type Message struct {
	Schema int    `json:"schema"` // 1
	ID     string `json:"id"`     // the same on every attempt and at every sink
	Test   bool   `json:"test,omitempty"`
	Text   string `json:"text"` // one line for people, safe to print
	Signal
	// Of a message that tells of several signals: the first of them by name,
	// and how many of each kind there are. What a run signalled before anybody
	// heard of it is told in one message too.
	Signals []Signal `json:"signals,omitempty"`
	Counts  []Count  `json:"counts,omitempty"`

	source string // where it comes from: a URI
	about  string // of blindness: what cannot be seen
}

// Signal is one signal as a sink is told.
type Signal struct {
	Kind   string    `json:"kind"` // stalled, …, blind, sighted or test
	At     time.Time `json:"at"`   // UTC, to the millisecond
	Event  int64     `json:"event,omitempty"`
	Run    string    `json:"run,omitempty"`
	Family string    `json:"family,omitempty"`
	Epoch  int64     `json:"epoch,omitempty"`
	Since  int64     `json:"since,omitempty"` // the episode
	// Began is when the episode was told as stalled, or blindness began.
	Began *time.Time `json:"began,omitempty"`

	State    string  `json:"state,omitempty"`
	Reason   string  `json:"reason,omitempty"`
	Detail   string  `json:"detail,omitempty"`
	Position *int64  `json:"position,omitempty"`
	Total    *int64  `json:"total,omitempty"`
	SilenceS float64 `json:"silence_s,omitempty"`
	Rows     int64   `json:"rows_since_advance,omitempty"`
	Failed   int64   `json:"failed_since_advance,omitempty"`
	From     string  `json:"policy_from,omitempty"`
}

// Count is how many signals of a kind there are, and of how many runs.
type Count struct {
	Kind    string `json:"kind"`
	Signals int64  `json:"signals"`
	Runs    int64  `json:"runs"`
}

// fromOutbox is the message of a delivery. instance names the trail.
func fromOutbox(d *store.Delivery, instance string) Message {
	m := Message{Schema: 1, ID: fmt.Sprintf("progmon-%s-%d", instance, d.Event), source: "urn:progmon:" + instance}
	for _, s := range d.Signals {
		m.Signals = append(m.Signals, fromLog(s))
	}
	if len(m.Signals) > 0 {
		m.Signal = m.Signals[0]
	}
	for _, c := range d.Counts {
		m.Counts = append(m.Counts, Count{c.Kind, c.Signals, c.Runs})
	}
	switch {
	case len(m.Signals) == 1:
		m.Signals, m.Counts = nil, nil
		m.Text = m.Signal.text()
	case m.ofOneRun():
		m.Text = m.Signal.text()
		for _, s := range m.Signals[1:] {
			m.Text += "; then " + clean(s.Kind)
			if s.Kind == policy.SignalRecovered && s.Detail != "" {
				m.Text += ": " + s.Detail
			}
		}
	default:
		m.Signal = Signal{Kind: m.Kind, At: m.At, Event: m.Event}
		m.Text = m.storm()
	}
	return m
}

// ofOneRun says that all signals of the message are of one run.
func (m *Message) ofOneRun() bool {
	for _, s := range m.Signals {
		if s.Run != m.Signals[0].Run {
			return false
		}
	}
	return true
}

// storm says what a message is about that tells of many runs.
func (m *Message) storm() string {
	total, runs := int64(0), int64(0)
	var parts []string
	for _, c := range m.Counts {
		total += c.Signals
		runs = max(runs, c.Runs)
		parts = append(parts, fmt.Sprintf("%d %s", c.Signals, c.Kind))
	}
	var names []string
	for _, s := range m.Signals[:min(len(m.Signals), 5)] {
		names = append(names, s.Run)
	}
	more := ""
	if runs > int64(len(names)) {
		more = ", …"
	}
	return fmt.Sprintf("%d signals at once of %d runs: %s (%s%s)", total, runs, strings.Join(parts, ", "), strings.Join(names, ", "), more)
}

func fromLog(d store.Delivered) Signal {
	s := Signal{Kind: d.Kind, At: d.At.Truncate(time.Millisecond), Event: d.Event, Run: d.Run, Family: d.Family, Epoch: d.Epoch, Since: d.Since,
		Reason: clean(d.Reason)}
	if !d.Stalled.IsZero() && d.Kind != policy.SignalStalled {
		s.Began = &d.Stalled
	}
	var e struct {
		State    string  `json:"state"`
		Detail   string  `json:"detail"`
		Position *int64  `json:"position"`
		Total    *int64  `json:"total"`
		SilenceS float64 `json:"silence_s"`
		Rows     int64   `json:"rows_since_advance"`
		Failed   int64   `json:"failed_since_advance"`
		From     string  `json:"policy_from"`
	}
	if json.Unmarshal(d.Data, &e) == nil { // what cannot be read is told without
		s.State, s.Detail, s.Position, s.Total = clean(e.State), clean(e.Detail), e.Position, e.Total
		s.SilenceS, s.Rows, s.Failed, s.From = e.SilenceS, e.Rows, e.Failed, clean(e.From)
	}
	return s
}

// text is one signal in a line.
func (s *Signal) text() string {
	text := strings.TrimSpace(s.Run+" "+s.Kind) + ""
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	if s.Detail != "" {
		text += ": " + s.Detail
	}
	return text
}

// Sight is what there is to say of a monitor that cannot see, or sees again.
type Sight struct {
	Source string // what cannot be read: the trail, a run, a directory
	Run    bool   // Source is the name of a run
	Reason string
	Detail string
	Since  time.Time
	For    time.Duration
	Over   bool // it sees again
}

// message says it. Every repeat has a name of its own, since it is meant to be
// heard again.
func (s Sight) message(monitor string, at time.Time) Message {
	able := "read"
	if s.Reason == ReasonUnrecorded {
		able = "written, and nothing is signalled"
	}
	kind, text := KindBlind, "BLIND: "+clean(s.Source)+" cannot be "+able+" ("+clean(s.Reason)+")"
	if s.Detail != "" {
		text += ", " + clean(s.Detail)
	}
	if s.For >= time.Second {
		text += ", for " + policy.FormatDuration(s.For.Round(time.Second))
	}
	if s.Over {
		kind = KindSighted
		able, _, _ = strings.Cut(able, ",")
		text = "sighted: " + clean(s.Source) + " can be " + able + " again, after " + policy.FormatDuration(s.For.Round(time.Second)) +
			" blind (" + clean(s.Reason) + ")"
	}
	if s.Reason == ReasonAbsent {
		text = "BLIND: " + clean(s.Source) + " does not look any more, for " + policy.FormatDuration(s.For.Round(time.Second))
		if s.Over {
			text = "sighted: " + clean(s.Source) + " looks again, or ended on purpose"
		}
	}
	since := s.Since.UTC().Truncate(time.Millisecond)
	m := Message{Schema: 1, ID: fmt.Sprintf("progmon-%s-%s-%d", monitor, kind, at.UnixMilli()), source: "urn:progmon:" + monitor, Text: text,
		Signal: Signal{Kind: kind, At: at.UTC().Truncate(time.Millisecond), Began: &since, State: string(policy.Blind), Reason: clean(s.Reason), Detail: clean(s.Detail), SilenceS: s.For.Seconds()}}
	m.about = s.Source
	if s.Over {
		m.State = ""
	}
	if s.Run {
		m.Run = s.Source
	}
	return m
}

// testMessage is one that says that it is none.
func testMessage(monitor string, at time.Time) Message {
	return Message{Schema: 1, ID: fmt.Sprintf("progmon-%s-test-%d", monitor, at.UnixMilli()), Test: true, source: "urn:progmon:" + monitor,
		Text:   "this is a test of progmon: nothing happened",
		Signal: Signal{Kind: KindTest, At: at.UTC().Truncate(time.Millisecond), Run: "progmon-test", Family: "progmon-test"}}
}

// clean is text with nothing in it that a terminal or a line would obey.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
