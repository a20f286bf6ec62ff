package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
)

// manyEnds is how many runs that had ended before the first look are told one
// by one.
const manyEnds = 10

// lines says what a monitor sees as a line a change. It is silent when nothing
// happened.
type lines struct {
	e    *env
	w    *watch.Watch // nil for a single look
	path string
	zone *time.Location // nil: the local one

	last time.Time // of the last line
}

func (l *lines) look(r watch.Report) error {
	for _, line := range l.of(r) {
		l.e.printf("%s\n", line)
	}
	return nil
}

func (l *lines) reread(says string) error {
	l.e.printf("%s POLICY %s\n", l.stamp(l.e.now()), says)
	return nil
}

func (l *lines) end() {}

// of is what a look has to say.
func (l *lines) of(r watch.Report) []string {
	var says []string
	say := func(format string, args ...any) {
		says = append(says, l.stamp(r.At)+" "+fmt.Sprintf(format, args...))
	}
	if r.Missed > 0 {
		say("MONITOR LATE %s missed", count(r.Missed, "look", "looks"))
	}
	if b := r.Blind; b != nil {
		text := "BLIND " + printable(b.Reason)
		if b.Detail != "" {
			text += ": " + printable(b.Detail)
		}
		if b.Looks > 1 {
			text += ", for " + policy.About(b.For)
		}
		say("%s", text)
		return says
	}
	if s := r.Sighted; s != nil {
		say("SIGHTED after %s of %s", policy.About(s.For), printable(s.Reason))
	}
	for _, b := range r.Back {
		say("SIGHTED %s after %s of %s", printable(b.Root), policy.About(b.For), printable(b.Reason))
	}
	for _, o := range r.Absent {
		say("MONITOR ABSENT %s last looked %s ago", printable(o.ID), policy.About(o.Age))
	}
	for _, o := range r.Returned {
		say("MONITOR BACK %s", printable(o.ID))
	}
	if r.First && l.w != nil {
		rows := r.Rows()
		say("watching %s every %s · %s", printable(l.path), policy.FormatDuration(l.w.Interval), goingOn(rows))
	}
	ended := map[policy.State]int{}
	many := r.First && (!r.Known || l.w == nil) && endsOf(r) > manyEnds
	for i := range r.Changes {
		c := &r.Changes[i]
		state := c.Verdict.State
		// A single look says at every call what its exit code is about.
		again := severity(state) > 0 && (l.w == nil || !state.Ended())
		switch fresh := c.IsNew() || len(c.Told) > 0; {
		case many && state.Ended() && (!r.Known || !fresh):
			if !r.Known || again {
				ended[state]++
			}
		case fresh || again:
			say("%s", changeLine(c))
		}
	}
	if len(ended) > 0 {
		n := 0
		var parts []string
		for _, state := range []policy.State{policy.Failed, policy.Cancelled, policy.Done} {
			if n += ended[state]; ended[state] > 0 {
				parts = append(parts, grouped(int64(ended[state]))+" "+string(state))
			}
		}
		say("%s had ended before the first look: %s", plural(n, "run"), strings.Join(parts, ", "))
	}
	if r.Unrecorded != nil { // as blindness, at each look: nobody else will know of it
		say("UNRECORDED %s: verdicts are shown, nothing is signalled", printable(r.Unrecorded.Error()))
	}
	return says
}

// goingOn is the headline of the runs that have not ended. A look does not know
// whether there are others.
func goingOn(rows []watch.Row) string {
	if len(rows) == 0 {
		return "NO RUN is going on"
	}
	return headline(rows)
}

func endsOf(r watch.Report) (n int) {
	for i := range r.Changes {
		if r.Changes[i].Verdict.State.Ended() {
			n++
		}
	}
	return n
}

// stamp is the time of a line: local, with the date when it is another than
// that of the line before, and with the zone when the clocks changed.
func (l *lines) stamp(at time.Time) string {
	at = at.Local()
	if l.zone != nil {
		at = at.In(l.zone)
	}
	layout := "15:04:05"
	if last := l.last; !last.IsZero() {
		zone, offset := at.Zone()
		if was, before := last.Zone(); offset != before || zone != was {
			layout = "15:04:05 MST"
		}
		if at.YearDay() != last.YearDay() || at.Year() != last.Year() {
			layout = "2006-01-02 " + layout
		}
	}
	l.last = at
	return at.Format(layout)
}

// changeLine is one change: nightly STUCK looping 7/20, no advance for 17m.
func changeLine(c *watch.Change) string {
	v := &c.Verdict
	says := printable(v.Reading.Run) + " " + strings.ToUpper(string(v.State))
	if v.Reason != "" {
		says += " " + printable(v.Reason)
	}
	if place := at(v); place != "-" {
		says += " " + place
	}
	if more := brief(v); more != "" {
		says += ", " + more
	}
	if f := c.Files; f != nil && len(f.Notes) > 0 && !v.State.Ended() {
		says += "; " + printable(f.Notes[0])
	}
	for _, t := range c.Told {
		if t.Kind == policy.Pinged {
			says += " · pinged"
			continue
		}
		says += fmt.Sprintf(" · signal %s (event %d)", t.Kind, t.Event)
	}
	return says
}

// brief is the evidence in a few words.
func brief(v *policy.Verdict) string {
	r := &v.Reading
	if still := v.BySilence() || v.State == policy.Timeout; !still || r.Activity {
		return printable(v.Detail)
	}
	says := "no advance for " + policy.About(v.Silence)
	if r.Rows > 0 {
		says += ", " + count(r.Rows, "row", "rows") + " since"
	}
	if r.Failed > 0 {
		says += ", " + count(r.Failed, "attempt", "attempts") + " failed"
	}
	if r.Growth > 0 && r.Bytes > 0 {
		says += ", its log grew by " + grouped(r.Bytes) + " bytes"
	}
	return says
}
