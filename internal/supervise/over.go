package supervise

import (
	"errors"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
)

// over says that nothing more will come of a run: its last epoch has its exit
// record and no wrapper that could begin another, or nobody is left at all.
func over(r *rundir.Reader) bool {
	p, err := r.ReadPID()
	if err != nil {
		_, exitErr := r.ReadExit()
		return exitErr == nil || errors.Is(err, rundir.ErrAbsent) && !errors.Is(exitErr, rundir.ErrAbsent)
	}
	_, exitErr := r.ReadExitOf(p.Epoch)
	if p.Epoch == 0 {
		_, exitErr = r.ReadExit()
	}
	wrapped := cursor.Gone
	if p.Wrapper != nil {
		wrapped = presence.Look(*p.Wrapper)
	}
	if exitErr == nil {
		return wrapped == cursor.Gone || wrapped == cursor.Unknown
	}
	return wrapped == cursor.Gone && presence.Look(p.Identity) == cursor.Gone
}

// settled is over, seen for long enough that what is written meanwhile counts.
type settled struct {
	since time.Time
}

// overGrace lets the last words of who has just gone arrive.
const overGrace = 300 * time.Millisecond

func (s *settled) at(now time.Time, over bool) bool {
	switch {
	case !over:
		s.since = time.Time{}
	case s.since.IsZero():
		s.since = now
	}
	return over && now.Sub(s.since) >= overGrace
}
