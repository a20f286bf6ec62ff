package main

import (
	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// filestext is what the directory of a run says.
func (s *shown) filestext(line func(head, format string, args ...any)) {
	row := &s.rows[0]
	f, r := row.Files, &row.Verdict.Reading
	if f == nil {
		return
	}
	if f.Log {
		says := count(f.LogSize, "byte", "bytes") + ", last written " + s.when(f.LogAt)
		if !r.Activity && r.Bytes > 0 {
			says += ", " + count(r.Bytes, "byte", "bytes") + " since the last advance"
		}
		line("log", "%s", says)
	}
	if !f.Beat.IsZero() {
		line("heartbeat", "%s, wrapper %s", s.when(f.Beat), whoWrites(f.Wrapper))
	}
	for _, note := range f.Notes {
		line("note", "%s", printable(note))
	}
}

func whoWrites(p cursor.Presence) string {
	if p == cursor.NoProcess {
		return "over"
	}
	return string(p)
}

// activitytext is all there is of a run without rows.
func (s *shown) activitytext(line func(head, format string, args ...any)) {
	row := &s.rows[0]
	v := &row.Verdict
	line("evidence", "activity: its directory has no rows in a trail, so nobody knows what it has done")
	line("started", "%s%s", s.when(row.Started), s.processWords())
	if f := row.Files; f != nil {
		line("root", "%s", printable(f.Root))
	}
	s.filestext(line)
	if !v.Next.IsZero() {
		line("next", "time alone changes this at %s, in %s", clockTime(s.clock.Wall(v.Next), s.at), policy.About(v.Next.Sub(s.clock.Now())))
	}
	line("thresholds", "from %s", printable(v.Policy.From))
	s.thresholdstext(line)
}
