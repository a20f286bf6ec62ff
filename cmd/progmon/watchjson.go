package main

import (
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
)

// jsonLines says what a monitor sees as JSON lines, each with a type: verdict,
// signal, blind, sighted or monitor. Fields are only ever added.
type jsonLines struct {
	e    *env
	w    *watch.Watch
	path string

	begun bool
	looks int64
}

// verdictLine is said when the verdict on a run is another than before, and of
// every run that the first look sees: a runDoc with three fields more.
type verdictLine struct {
	Type   string        `json:"type"` // verdict
	At     string        `json:"at"`
	Before *policy.State `json:"before"` // null: it was not judged before
	runDoc
}

// signalLine is said when this monitor put a signal on record.
type signalLine struct {
	Type   string       `json:"type"` // signal
	At     string       `json:"at"`
	Event  int64        `json:"event"` // the row of the log
	Run    string       `json:"run"`
	Family string       `json:"family"`
	Signal string       `json:"signal"` // stalled, escalated, recovered, …, or pinged
	Epoch  int64        `json:"epoch"`
	Since  int64        `json:"since"` // the episode
	State  policy.State `json:"state"`
	Reason string       `json:"reason"`
	Detail string       `json:"detail"`

	Position int64  `json:"position"`
	Total    *int64 `json:"total"`
}

// blindLine is said at every look that cannot see, and of every run that cannot
// be read.
type blindLine struct {
	Type   string   `json:"type"` // blind
	At     string   `json:"at"`
	Source string   `json:"source"` // the database file, or the run
	Reason string   `json:"reason"`
	Detail string   `json:"detail"`
	Since  *string  `json:"since"`
	For    *float64 `json:"for_s"`
	Looks  *int64   `json:"looks"`
}

// sightedLine is said once when sight returns.
type sightedLine struct {
	Type   string   `json:"type"` // sighted
	At     string   `json:"at"`
	Source string   `json:"source"` // the database file, or the root
	Reason string   `json:"reason"` // why it was blind
	For    *float64 `json:"for_s"`
	Looks  int64    `json:"looks"` // how many looks were blind
}

// monitorLine is about the monitor itself.
type monitorLine struct {
	Type     string   `json:"type"` // monitor
	At       string   `json:"at"`
	ID       string   `json:"id"`
	State    string   `json:"state"` // started, late, unrecorded, reread or stopped; of another: absent or back
	Interval *float64 `json:"interval_s"`
	Looks    int64    `json:"looks"`
	Missed   int64    `json:"missed"`
	Detail   string   `json:"detail"`
}

func (j *jsonLines) monitor(at time.Time, state string, r watch.Report, detail string) error {
	return j.e.printJSON(monitorLine{"monitor", rfc3339(at), j.w.ID, state, seconds(j.w.Interval), r.Looks, r.Missed, detail})
}

// other is a line about another monitor of the trail.
func (j *jsonLines) other(at time.Time, o watch.Other, state, detail string) error {
	return j.e.printJSON(monitorLine{Type: "monitor", At: rfc3339(at), ID: o.ID, State: state, Detail: detail})
}

func (j *jsonLines) look(r watch.Report) error {
	at := rfc3339(r.At)
	j.looks = r.Looks
	if !j.begun {
		j.begun = true
		if err := j.monitor(r.At, "started", r, ""); err != nil {
			return err
		}
	}
	if r.Missed > 0 {
		if err := j.monitor(r.At, "late", r, count(r.Missed, "look", "looks")+" missed"); err != nil {
			return err
		}
	}
	if b := r.Blind; b != nil {
		return j.e.printJSON(blindLine{"blind", at, j.path, b.Reason, b.Detail, instant(b.Since), seconds(b.For), &b.Looks})
	}
	if s := r.Sighted; s != nil {
		if err := j.e.printJSON(sightedLine{"sighted", at, j.path, s.Reason, seconds(s.For), s.Looks}); err != nil {
			return err
		}
	}
	for _, b := range r.Back {
		if err := j.e.printJSON(sightedLine{"sighted", at, b.Root, b.Reason, seconds(b.For), b.Looks}); err != nil {
			return err
		}
	}
	for i := range r.Changes {
		if err := j.change(&r.Changes[i], r, at); err != nil {
			return err
		}
	}
	for _, o := range r.Absent {
		if err := j.other(r.At, o, "absent", "last looked "+policy.About(o.Age)+" ago"); err != nil {
			return err
		}
	}
	for _, o := range r.Returned {
		if err := j.other(r.At, o, "back", ""); err != nil {
			return err
		}
	}
	if r.Unrecorded != nil {
		return j.monitor(r.At, "unrecorded", r, r.Unrecorded.Error())
	}
	return nil
}

func (j *jsonLines) change(c *watch.Change, r watch.Report, at string) error {
	v := &c.Verdict
	if c.IsNew() || r.First {
		line := verdictLine{Type: "verdict", At: at, runDoc: documentRun(&c.Row, r.Clock)}
		if c.Before != "" {
			line.Before = &c.Before
		}
		if err := j.e.printJSON(line); err != nil {
			return err
		}
	}
	if v.State == policy.Blind {
		b := v.Reading.Blind
		if err := j.e.printJSON(blindLine{Type: "blind", At: at, Source: v.Reading.Run, Reason: b.Reason, Detail: b.Detail}); err != nil {
			return err
		}
	}
	for _, t := range c.Told {
		line := signalLine{Type: "signal", At: at, Event: t.Event, Run: v.Reading.Run, Family: v.Reading.Family,
			Signal: t.Kind, Epoch: t.Epoch, Since: t.Since, State: v.State, Reason: v.Reason, Detail: v.Detail,
			Position: v.Reading.Position}
		if b := v.Reading.Bound(); b.Known {
			line.Total = &b.N
		}
		if err := j.e.printJSON(line); err != nil {
			return err
		}
	}
	return nil
}

func (j *jsonLines) reread(says string) error {
	return j.monitor(j.e.now(), "reread", watch.Report{Looks: j.looks}, says)
}

func (j *jsonLines) end() {
	_ = j.monitor(j.e.now(), "stopped", watch.Report{Looks: j.looks}, "")
}
