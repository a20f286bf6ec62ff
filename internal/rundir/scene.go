package rundir

import (
	"errors"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

// scene is one look at a directory, from file to file.
type scene struct {
	r     *Reader
	l     Look
	m     *Memory
	e     *Evidence
	epoch int64 // the one asked for; 0: whatever the directory says
	// before is the wrapper that an earlier epoch had, when nobody is named yet.
	before *presence.Identity
}

// found says what there is of an exit record.
type found int

const (
	recordAbsent    found = iota
	recordEmpty           // there, and nothing in it yet
	recordMalformed       // there, and no record
	recordGood
	recordHidden // it cannot be read
)

func (s *scene) note(format string, args ...any) {
	s.e.Notes = append(s.e.Notes, escape(fmt.Sprintf(format, args...)))
}

// identity reads who the process is.
func (s *scene) identity() {
	p, err := s.r.ReadPID()
	switch {
	case errors.Is(err, ErrAbsent):
		return
	case err != nil:
		if _, malformed := errors.AsType[*MalformedError](err); !malformed && !errors.Is(err, ErrEmpty) {
			s.e.Blind = BlindnessOf(err)
		}
		s.e.Presence = cursor.Unknown
		s.note("%v", err)
		return
	case s.epoch == 0:
		s.epoch = p.Epoch
	case p.Epoch != 0 && p.Epoch != s.epoch:
		s.note("worker.pid is of epoch %d", p.Epoch)
		if p.Epoch < s.epoch {
			s.before = p.Wrapper // it may be about to begin this one
		}
		return
	}
	s.e.HasPID, s.e.PID = true, p
}

// record looks for the exit record of the epoch.
func (s *scene) record() found {
	rec, err := s.r.ReadExit()
	if s.epoch > 0 && (err != nil || rec.Epoch > s.epoch) {
		if kept, keptErr := s.r.readExit(exitOf(s.epoch)); keptErr == nil && kept.Epoch == s.epoch {
			rec, err = kept, nil
		}
	}
	malformed, isMalformed := errors.AsType[*MalformedError](err)
	switch {
	case errors.Is(err, ErrAbsent):
		return recordAbsent
	case errors.Is(err, ErrEmpty):
		return recordEmpty
	case isMalformed:
		s.e.Exit = cursor.Exit{Known: true, Reason: "malformed"}
		s.note("%v", malformed)
		return recordMalformed
	case err != nil:
		s.e.Blind = BlindnessOf(err)
		return recordHidden
	case !s.ends(rec):
		return recordAbsent
	}
	s.e.Exit, s.e.Record, s.e.Presence, s.e.Blind = rec.Cursor(), rec, cursor.Gone, cursor.Blindness{}
	return recordGood
}

// ends reports whether a record is about the epoch. One that does not say,
// such as a bare number, can only be about a first epoch: later ones would
// take an old record for their own end.
func (s *scene) ends(rec Exit) bool {
	return rec.Epoch == s.epoch || s.epoch == 0 || rec.Epoch == 0 && s.epoch == 1
}

// author asks whether the wrapper that wrote a record is still there: it may
// have more to write.
func (s *scene) author() {
	if p, err := s.r.ReadPID(); err == nil && p.Wrapper != nil && (p.Epoch == 0 || p.Epoch == s.epoch) {
		s.e.Wrapper = s.l.Prober.Look(*p.Wrapper)
	}
}

// presence asks who is there, and where nobody is, whether a record was
// written meanwhile.
func (s *scene) presence(before found) {
	e, m := s.e, s.m
	e.Wrapper = cursor.Unknown
	if e.HasPID {
		if m.who.PID != e.PID.PID || !m.written.Equal(e.PID.Written) {
			m.who, m.written, m.since = presence.Identity{}, e.PID.Written, time.Time{}
		}
		if m.who.Bare() {
			m.who = s.l.Prober.Pin(e.PID.Identity)
		}
		e.Presence = s.l.Prober.Look(m.who)
		if e.PID.Wrapper != nil {
			e.Wrapper = s.l.Prober.Look(*e.PID.Wrapper)
		}
	}
	if s.before != nil {
		e.Wrapper = s.l.Prober.Look(*s.before)
	}
	if before == recordMalformed || before == recordHidden {
		return
	}
	nobody := !e.HasPID && e.Presence == cursor.NoProcess
	if e.Presence != cursor.Gone && !nobody {
		m.since = time.Time{}
		return
	}
	switch again := s.record(); again {
	case recordAbsent, recordEmpty:
		s.missing(again, nobody)
	}
}

// missing is a process that is gone, or that nobody ever named, with no record.
func (s *scene) missing(what found, nobody bool) {
	e, m, now := s.e, s.m, s.l.Clock.Now()
	if m.since.IsZero() {
		m.since = now
		if s.l.Once && e.Wrapper != cursor.Alive && e.Wrapper != cursor.Stopped {
			m.since = now.Add(-s.quiet())
		}
	}
	if e.Wrapper == cursor.Gone {
		// Its presence was asked for before the second look for a record: what
		// it had not written by then it will not write.
		if over := now.Add(-s.l.Grace); over.Before(m.since) {
			m.since = over
		}
	}
	e.GoneSince = m.since
	over := now.Sub(m.since) >= s.l.Grace
	switch {
	case over && what == recordEmpty:
		e.Exit = cursor.Exit{Known: true, Reason: "malformed"}
		s.note("worker.exit is empty")
	case over && nobody && s.epoch == 0:
		e.Exit = cursor.Exit{Known: true, Reason: "no-evidence"}
	}
	if nobody {
		e.GoneSince = time.Time{} // there was nobody to go
	}
}
