package rundir

import (
	"errors"
	"time"

	"github.com/progmon/progmon/cursor"
)

// quiet is for how long nothing in the directory was written, by its stamps.
func (s *scene) quiet() time.Duration {
	wall := s.l.Clock.Instant().Wall
	latest := time.Time{}
	if info, err := s.r.dir.Stat("."); err == nil {
		latest = info.ModTime()
	}
	for _, name := range []string{PIDFile, LogFile, HeartbeatFile, ExitFile} {
		if at := s.r.modified(name); at.After(latest) {
			latest = at
		}
	}
	if latest.IsZero() {
		return 0
	}
	return ageOf(latest, wall, 0, false)
}

// future is by how much a stamp must be ahead of the clock to be remarked.
const future = time.Minute

// activity looks at what went on, which proves nothing but is shown.
func (s *scene) activity() {
	e, m := s.e, s.m
	now, wall := s.l.Clock.Now(), s.l.Clock.Instant().Wall
	age, known := time.Duration(0), false
	if e.Presence == cursor.Alive || e.Presence == cursor.Stopped {
		if at, ok := s.l.Prober.Started(m.who); ok {
			age, known = max(wall.Sub(at), 0), true
		}
	}
	info, err := s.r.stat(LogFile)
	if err != nil && !errors.Is(err, ErrAbsent) {
		s.note("%v", err)
	}
	first := !m.log.seen
	grown, changed := m.log.look(info)
	if info != nil {
		e.Log, e.LogSize, e.LogWall, e.Grown = true, info.Size(), info.ModTime(), grown
		s.remarkFuture(LogFile, info.ModTime(), wall)
	}
	written := info != nil && info.Size() > 0 // a log that was only opened says nothing
	switch {
	case changed, first && written && !s.l.Once:
		m.active = now
	case first && written:
		m.active = now.Add(-ageOf(info.ModTime(), wall, age, known))
	}
	e.LastActivity = m.active

	if m.started.IsZero() {
		m.started = now.Add(-s.ageOfStart(age, known, wall))
		if !m.active.IsZero() && m.active.Before(m.started) {
			m.started = m.active
		}
	}
	e.Started = m.started

	if e.BeatWall = s.r.Heartbeat(); !e.BeatWall.IsZero() {
		e.HeartbeatAt = now.Add(-ageOf(e.BeatWall, wall, 0, false))
		s.remarkFuture(HeartbeatFile, e.BeatWall, wall)
	}
}

// ageOfStart is the age of the process, or by the stamps that of worker.pid or
// of the directory. A loop takes no stamp's word for it.
func (s *scene) ageOfStart(age time.Duration, known bool, wall time.Time) time.Duration {
	stamp := s.e.PID.Written
	switch {
	case known:
		return age
	case !s.l.Once && !s.e.Exit.Known:
		return 0
	case stamp.IsZero():
		info, err := s.r.dir.Stat(".")
		if err != nil {
			return 0
		}
		stamp = info.ModTime()
	}
	return ageOf(stamp, wall, 0, false)
}

func (s *scene) remarkFuture(name string, stamp, wall time.Time) {
	if ahead := stamp.Sub(wall); ahead > future {
		s.note("%s is stamped %s ahead of the clock", name, ahead.Round(time.Second))
	}
}
