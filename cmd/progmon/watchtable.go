package main

import (
	"fmt"
	"strings"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
)

// liveTable draws what a monitor sees in place, on a terminal: the line that
// matters, the runs, worst first, and below them what changed last. It draws
// from the top of the screen and leaves the scrollback alone.
type liveTable struct {
	e    *env
	w    *watch.Watch
	path string

	drawn  bool
	recent lines
	log    []string // what changed last, oldest first
	missed int64
}

// keptLog is how many of the last changes are kept for the screen.
const keptLog = 100

func (l *liveTable) look(r watch.Report) error {
	if r.Blind == nil { // which the first line says, as it says what is unrecorded
		changes := r
		changes.Unrecorded = nil
		l.log = append(l.log, l.recent.of(changes)...)
		l.log = l.log[max(len(l.log)-keptLog, 0):]
	}
	l.missed += r.Missed
	s := l.e.screen()
	var b strings.Builder
	if !l.drawn {
		// What is on the screen goes up into the scrollback.
		b.WriteString(strings.Repeat("\n", s.height-1))
		l.drawn = true
	}
	b.WriteString("\x1b[H")
	for _, line := range l.draw(r, s) {
		b.WriteString(line + "\x1b[K\n")
	}
	b.WriteString("\x1b[J")
	_, err := l.e.stdout.Write([]byte(b.String()))
	return err
}

// draw is the lines of the screen, one fewer than fit.
func (l *liveTable) draw(r watch.Report, s screen) []string {
	rows := r.Rows()
	room := s.height - 1
	var b strings.Builder
	head := goingOn(rows)
	state := policy.Advancing
	if len(rows) > 0 {
		state = rows[0].Verdict.State
	}
	if r.Blind != nil {
		state = policy.Blind
		head = "BLIND " + printable(r.Blind.Reason) + " for " + policy.About(r.Blind.For)
		if r.Blind.Detail != "" {
			head += ": " + printable(r.Blind.Detail)
		}
	}
	if r.Unrecorded != nil {
		head += " · UNRECORDED " + printable(r.Unrecorded.Error())
	}
	lines := []string{
		s.paint(state, s.line(head)),
		s.line(fmt.Sprintf("looked at %s, every %s, %s%s · %s", r.At.Local().Format("15:04:05"), policy.FormatDuration(l.w.Interval),
			count(r.Looks, "look", "looks"), l.missedWords(), printable(l.path))),
	}
	room -= len(lines) + 1
	// A third of the screen at most for what changed.
	changes := l.log[max(len(l.log)-max(room/3, 0), 0):]
	room -= len(changes)
	if len(changes) > 0 {
		room--
	}
	if len(rows) > 0 && room > 2 {
		shown := rows
		if len(rows) > room-2 {
			shown = rows[:max(room-3, 0)]
		}
		table(shown).write(&b, s)
		if r.Blind != nil {
			lines = append(lines, s.line("as last seen:"))
		} else {
			lines = append(lines, "")
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")...)
		if more := len(rows) - len(shown); more > 0 {
			lines = append(lines, s.line(fmt.Sprintf("… and %s that need less: progmon status", plural(more, "run"))))
		}
	}
	if len(changes) > 0 {
		lines = append(lines, "")
		for _, c := range changes {
			lines = append(lines, s.line(c))
		}
	}
	return lines[:min(len(lines), max(s.height-1, 1))]
}

func (l *liveTable) missedWords() string {
	if l.missed == 0 {
		return ""
	}
	return ", " + grouped(l.missed) + " MISSED"
}

func (l *liveTable) reread(string) error { return nil } // a hangup ends it

func (l *liveTable) end() {}
