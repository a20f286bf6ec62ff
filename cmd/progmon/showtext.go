package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// text is all of one run for a person: what is wrong first, one thing a line.
func (s *shown) text(scr screen) string {
	row := &s.rows[0]
	v, r := &row.Verdict, &row.Verdict.Reading
	var b strings.Builder
	first := strings.ToUpper(string(v.State))
	if v.Reason != "" {
		first += " " + printable(v.Reason)
	}
	b.WriteString(scr.paint(v.State, scr.line(fmt.Sprintf("%s  %s · %s", first, printable(r.Run), s.watchedBy()))) + "\n")
	line := func(head, format string, args ...any) {
		b.WriteString(scr.line(runewidth.FillRight(head, 12)+fmt.Sprintf(format, args...)) + "\n")
	}
	line("", "%s", printable(v.Detail))
	if next := advice(row); next != "" {
		line("do", "%s", next)
	}
	if v.State == policy.Blind && r.Epoch == 0 {
		return b.String()
	}
	b.WriteString("\n")
	if r.Activity {
		s.activitytext(line)
		return b.String()
	}
	line("position", "%s", s.position())
	if !v.State.Ended() {
		line("silence", "%s, last advance %s, last row %s", policy.About(v.Silence), s.when(row.Advanced), s.when(row.LastRow))
		line("since then", "%s, %s", count(r.Rows, "row that moved nothing", "rows that moved nothing"),
			count(r.Failed, "attempt failed", "attempts failed"))
	}
	soFar := " so far"
	if v.State.Ended() {
		soFar = ""
	}
	line("started", "%s, epoch %d%s, took %s%s", s.when(row.Started), r.Epoch, s.processWords(), policy.About(elapsed(row)), soFar)
	s.filestext(line)
	if h := r.Hold; v.State == policy.Waiting {
		line("hold", "until %s: %s", clockTime(s.clock.Wall(h.Until), s.at), printable(h.Why))
	}
	if !v.Next.IsZero() {
		line("next", "time alone changes this at %s, in %s", clockTime(s.clock.Wall(v.Next), s.at), policy.About(v.Next.Sub(s.clock.Now())))
	}
	if r.Refused > 0 {
		line("refused", "%s by the fence", count(r.Refused, "write", "writes"))
	}
	s.steptext(line)
	line("family", "%s, thresholds from %s", printable(r.Family), printable(v.Policy.From))
	s.thresholdstext(line)
	s.logtext(&b, scr)
	return b.String()
}

// watchedBy says who watches: a wrapper that signalled the run looked at it,
// whether or not it is still there.
func (s *shown) watchedBy() string {
	wrappers := wrappersAt(s.rows)
	for i := range s.signals {
		if s.signals[i].Source == "wrapper" {
			wrappers = 1
		}
	}
	return monitorWords(s.watched, wrappers)
}

func (s *shown) thresholdstext(line func(head, format string, args ...any)) {
	p := &s.rows[0].Verdict.Policy
	for keys := range slices.Chunk(policy.Keys(), 4) {
		var parts []string
		for _, key := range keys {
			parts = append(parts, key+" "+p.Show(key))
		}
		line("", "%s", strings.Join(parts, " · "))
	}
}

// position is where the run stands, and where to resume.
func (s *shown) position() string {
	v := &s.rows[0].Verdict
	r := &v.Reading
	says := at(v)
	if b := r.Bound(); b.Known {
		says += ", " + grouped(r.Remaining()) + " left"
		if r.Position > b.N {
			says += " of the total, which the observed cursor has passed"
		}
	}
	if !v.State.Ended() {
		says += fmt.Sprintf(", steps to %s are all over: resume at %s", grouped(r.Frontier), grouped(r.Frontier+1))
	}
	if r.HasObserved {
		says += ", last observed at " + grouped(r.Observed)
	}
	return says
}

func (s *shown) processWords() string {
	r := &s.rows[0].Verdict.Reading
	switch {
	case !r.Process:
		return ", no process of its own"
	case r.Exit.Known:
		return "" // it is over, and what it was is said in its log
	}
	return ", process " + string(r.Presence)
}

// steptext is the steps at work.
func (s *shown) steptext(line func(head, format string, args ...any)) {
	for i, step := range s.steps {
		if i == shownSteps {
			line("", "… and more: progmon show --json has ids, the table step has all")
			break
		}
		says := fmt.Sprintf("%s, attempt %d", stepWords(step), step.Attempts)
		if step.Failures > 0 {
			says += fmt.Sprintf(", %s failed", grouped(step.Failures))
		}
		if !step.Begun.IsZero() && step.State == "running" {
			says += ", begun " + s.when(step.Begun)
		}
		if step.Of > 0 {
			says += fmt.Sprintf(", marked %s of %s", grouped(step.Mark), grouped(step.Of))
		}
		if step.Expect > 0 {
			says += ", declared " + policy.About(step.Expect)
		}
		if step.Note != "" {
			says += ": " + printable(step.Note)
		}
		line(step.State, "%s", says)
	}
	if s.last != nil {
		line("last step", "%s %s", stepWords(*s.last), printable(s.last.State))
	}
}

func stepWords(s store.Step) string {
	says := "step " + grouped(s.Pos)
	if s.Name != "" {
		says += " " + printable(s.Name)
	}
	return says
}

// logtext is what was signalled, and the end of the log.
func (s *shown) logtext(b *strings.Builder, scr screen) {
	write := func(title string, events []store.Event) {
		if len(events) == 0 {
			return
		}
		b.WriteString("\n" + title + "\n")
		for _, e := range events {
			b.WriteString(scr.line("  "+s.eventLine(e)) + "\n")
		}
	}
	write("signals", s.signals)
	write(fmt.Sprintf("log, the last %s", grouped(int64(len(s.log)))), s.log)
	if len(s.log) > 0 && len(s.log) == s.asked {
		b.WriteString("\nmore: progmon show " + printable(s.rows[0].Verdict.Reading.Run) + fmt.Sprintf(" --events %d", 10*s.asked) +
			", or progmon events --run " + printable(s.rows[0].Verdict.Reading.Run) + "\n")
	}
}

// eventLine is a row of the log as a person reads it.
func (s *shown) eventLine(e store.Event) string {
	says := fmt.Sprintf("%s  %d  %s", clockTime(e.At, s.at), e.ID, printable(e.Kind))
	add := func(format string, args ...any) { says += fmt.Sprintf(format, args...) }
	if e.Step != nil {
		add(" %d", *e.Step)
	}
	if e.Attempt != nil && *e.Attempt > 1 {
		add(" (attempt %d)", *e.Attempt)
	}
	if e.Amount != nil && e.OutOf != nil {
		add(" %d of %d", *e.Amount, *e.OutOf)
	}
	switch {
	case e.Position != nil && e.Total != nil:
		add(" at %d/%d", *e.Position, *e.Total)
	case e.Position != nil:
		add(" at %d", *e.Position)
	}
	if e.Advance {
		add(" advance")
	}
	if e.For > 0 {
		add(" for %s", policy.About(e.For))
	}
	if e.Code != nil {
		add(" exit %d", *e.Code)
	}
	if e.Signal != nil {
		add(" signal %d", *e.Signal)
	}
	if e.Since != nil {
		add(" since %d", *e.Since)
	}
	if e.Who != "" {
		add(" by %s", printable(e.Who))
	}
	if e.Reason != "" {
		add(": %s", printable(e.Reason))
	}
	return says
}

// when is how long ago something was, by the wall clock.
func (s *shown) when(t time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.After(s.at.Add(time.Second)):
		return "stamped " + policy.About(t.Sub(s.at)) + " ahead of this clock"
	}
	return policy.About(s.at.Sub(t)) + " ago"
}

// clockTime is t for a person: in local time, with the date when it is not
// the day of now.
func clockTime(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
