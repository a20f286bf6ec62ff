package main

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"github.com/progmon/progmon/policy"
)

// screen is what an answer for a person is written to.
type screen struct {
	width, height int  // 0: not a terminal, nothing is cut
	colour        bool // only ever beside words that say the same
}

// screen is stdout as it is now.
func (e *env) screen() screen {
	if !e.stdout.isTerminal() {
		return screen{}
	}
	s := screen{width: 80, height: 24, colour: e.getenv("NO_COLOR") == "" && e.getenv("TERM") != "dumb"}
	if w, h, err := term.GetSize(int(e.stdout.file().Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
	return s
}

// paint colours text as the state asks for.
func (s screen) paint(state policy.State, text string) string {
	if !s.colour {
		return text
	}
	colour := ""
	switch state {
	case policy.Blind:
		colour = "\x1b[1;35m"
	case policy.Stuck, policy.Stalled, policy.Timeout, policy.Failed:
		colour = "\x1b[1;31m"
	case policy.Degraded:
		colour = "\x1b[33m"
	case policy.Done, policy.Cancelled:
		colour = "\x1b[2m"
	case policy.Advancing:
		colour = "\x1b[32m"
	}
	if colour == "" {
		return text
	}
	return colour + text + "\x1b[0m"
}

// line cuts text to the width of the screen. It is cut before it is painted.
func (s screen) line(text string) string {
	if s.width == 0 {
		return text
	}
	return runewidth.Truncate(text, s.width, "…")
}

// grid is rows of cells in columns. The last column is not padded.
type grid struct {
	heads []string
	rows  []gridRow
}

type gridRow struct {
	state policy.State
	cells []string
}

// write lays the grid out. Columns are as wide as what is in them, the second
// one, a name, at most half of the screen.
func (g grid) write(b *strings.Builder, s screen) {
	widths := make([]int, len(g.heads))
	for i, head := range g.heads {
		widths[i] = runewidth.StringWidth(head)
	}
	for _, row := range g.rows {
		for i, cell := range row.cells {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	if s.width > 0 && len(widths) > 1 {
		widths[1] = min(widths[1], max(s.width/2-widths[0], 8))
	}
	lay := func(cells []string) string {
		var line strings.Builder
		for i, cell := range cells {
			if i == len(cells)-1 {
				line.WriteString(cell)
				break
			}
			cell = runewidth.Truncate(cell, widths[i], "…")
			line.WriteString(runewidth.FillRight(cell, widths[i]) + "  ")
		}
		return strings.TrimRight(line.String(), " ")
	}
	b.WriteString(s.line(lay(g.heads)) + "\n")
	for _, row := range g.rows {
		line := s.line(lay(row.cells))
		if word := row.cells[0]; strings.HasPrefix(line, word) {
			line = s.paint(row.state, word) + line[len(word):]
		}
		b.WriteString(line + "\n")
	}
}

// grouped writes n with a comma between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is n of a thing: 1 run, 2 runs.
func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return grouped(int64(n)) + " " + word
}
