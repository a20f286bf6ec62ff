package demo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func (p *play) printf(format string, args ...any) { _, _ = fmt.Fprintf(p.w, format, args...) }

// note is a line of the stagehand.
func (p *play) note(format string, args ...any) {
	p.printf("\n%5.1fs  %s\n\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}

// opening says who plays what, and by which thresholds they are judged.
func (p *play) opening(lasts time.Duration) {
	p.printf("%d workers count words, a step a file. One progmon watch looks on for %s.\n", len(parts), lasts.Round(time.Millisecond))
	p.printf("Its thresholds are short: degraded after %s of silence, stalled after %s.\n\n", 3*p.unit, 6*p.unit)
	for _, part := range parts {
		p.printf("  %-8s %-15s %s\n", part.run, p.player(part), part.does)
	}
	for _, sentence := range p.missing {
		p.printf("  %s\n", sentence)
	}
	p.printf("\nWhat watch reports, a line a change (that a run is starting is left out):\n\n")
}

// closing compares what was said with what was to be said, and shows the way
// to the trail.
func (p *play) closing() error {
	p.printf("\nWhat was said of each, in order:\n\n")
	wrong := 0
	verdict := func(name, said, signals string, broken []string) {
		mark := "ok"
		if len(broken) > 0 {
			mark, wrong = "NO", wrong+1
		}
		p.printf("  %s  %-8s %-66s %s\n", mark, name, said, signals)
		for _, sentence := range broken {
			p.printf("      %s\n", sentence)
		}
	}
	for _, part := range parts {
		h := heard{}
		if found := p.said[part.run]; found != nil {
			h = *found
		}
		broken := part.broken(h)
		if part.finishes() {
			broken = append(broken, p.undone(part)...)
		}
		verdict(part.run, story(h.verdicts), "signalled "+list(h.signals), broken)
	}
	said, broken := p.blindness()
	verdict("(trail)", said, fmt.Sprintf("status exits %d", p.statusExit), broken)

	p.printf("\n%d of %d as it should be. The workers are ended, the trail stays; look for yourself:\n\n", len(parts)+1-wrong, len(parts)+1)
	p.next()
	if wrong > 0 {
		return fmt.Errorf("%w: see the lines above and the logs in %s", ErrClaims, p.dir)
	}
	return nil
}

// undone says when a worker that was done has not done its work.
func (p *play) undone(part part) []string {
	text, err := os.ReadFile(filepath.Join(p.path(part.run), "result.tsv"))
	if err != nil {
		return []string{err.Error()}
	}
	if n := bytes.Count(text, []byte("\n")); n != part.files {
		return []string{fmt.Sprintf("%s counted %d files, want %d", part.run, n, part.files)}
	}
	return nil
}

// blindness is what was said while the trail was out of sight.
func (p *play) blindness() (said string, broken []string) {
	said = "nothing"
	if len(p.blind) > 0 {
		said = fmt.Sprintf("blind at %d looks: %s", len(p.blind), list(slices.Compact(slices.Clone(p.blind))))
	}
	if p.sighted {
		said += ", sighted"
	}
	if len(p.blind) < 2 || !p.sighted || p.statusExit != 3 {
		broken = append(broken, "a blind monitor must say so at every look, and status must exit 3 meanwhile")
	}
	return said, broken
}

// next are the commands with which to go on.
func (p *play) next() {
	program := p.program
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, program); err == nil && filepath.IsLocal(rel) {
			program = "." + string(filepath.Separator) + rel
		}
	}
	p.printf("  export PROGMON_DB=%s PROGMON_POLICY=%s\n", quote(p.trail()), quote(p.policy()))
	p.printf("  %s status\n", quote(program))
	p.printf("  %s show retry\n", quote(program))
	p.printf("  sqlite3 -readonly -box \"$PROGMON_DB\" 'SELECT * FROM v_episode'\n")
}

// quote makes s one word of a shell.
func quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
