package report

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/replay"
	"github.com/progmon/progmon/policy"
)

// Evidence is what the runs of a family were like that ended well: exited 0 or
// done. Runs that did not are no example of honest work.
type Evidence struct {
	Family string
	Runs   int
	// Gaps are the silences that ended with an advance, as the judge counts
	// them: waits that were declared are not in them.
	Gaps []time.Duration
	// Starts are the times from the beginning of an epoch to its first advance,
	// Exits those from the last step to the exit, Runtimes those from the first
	// row to the last.
	Starts, Exits, Runtimes []time.Duration
	// Failed and Rows are the most attempts that failed, and the most rows
	// besides, between two advances.
	Failed, Rows int64
}

// Collect gathers the evidence from recorded history, of the runs whose last
// row is not before since, in the order of the families. At of a line is unix
// time. It keeps a number for each advance.
func Collect(lines iter.Seq[replay.Line], since time.Time) []*Evidence {
	stories := map[string]*story{}
	for l := range lines {
		if l.Kind == cursor.RunStarted && stories[l.Run] == nil {
			stories[l.Run] = &story{trail: cursor.NewTrail(l.Run, l.Family, l.Process), Evidence: Evidence{Family: l.Family}}
		}
		if s := stories[l.Run]; s != nil {
			s.see(l)
		}
	}
	families := map[string]*Evidence{}
	for _, s := range stories {
		if s.last.Before(since) || !s.endedWell() {
			continue
		}
		f := families[s.Family]
		if f == nil {
			f = &Evidence{Family: s.Family}
			families[s.Family] = f
		}
		f.add(&s.Evidence)
	}
	all := make([]*Evidence, 0, len(families))
	for _, f := range families {
		f.sort()
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *Evidence) int { return strings.Compare(a.Family, b.Family) })
	return all
}

// story is one run as its rows come by.
type story struct {
	Evidence
	trail *cursor.Trail
	last  time.Time // of its last row, wall clock
}

func (s *story) see(l replay.Line) {
	e := l.Event
	e.Awake = cursor.At(l.At)
	before := s.trail.Reading(e.Awake, 0)
	advance, err := s.trail.Apply(&e)
	if err != nil {
		return
	}
	s.last = time.Unix(0, int64(l.At))
	switch {
	case advance && before.EpochMoved:
		p := policy.Default()
		s.Gaps = append(s.Gaps, p.Judge(before, e.Awake).Silence)
	case advance:
		s.Starts = append(s.Starts, max(e.Awake.Sub(before.EpochAt), 0))
	case e.Kind == cursor.RunExited && before.Full() && !before.FullAt.IsZero():
		s.Exits = append(s.Exits, max(e.Awake.Sub(before.FullAt), 0))
	}
	if advance {
		s.Failed, s.Rows = max(s.Failed, before.Failed), max(s.Rows, before.Rows)
	}
}

func (s *story) endedWell() bool {
	r := s.trail.Reading(cursor.At(time.Duration(s.last.UnixNano())), 0)
	p := policy.Default()
	if p.Judge(r, r.LastRowAt).State != policy.Done {
		return false
	}
	s.Runtimes = []time.Duration{max(r.LastRowAt.Sub(r.StartedAt), 0)}
	return true
}

func (e *Evidence) add(run *Evidence) {
	e.Runs++
	e.Gaps = append(e.Gaps, run.Gaps...)
	e.Starts = append(e.Starts, run.Starts...)
	e.Exits = append(e.Exits, run.Exits...)
	e.Runtimes = append(e.Runtimes, run.Runtimes...)
	e.Failed, e.Rows = max(e.Failed, run.Failed), max(e.Rows, run.Rows)
}

func (e *Evidence) sort() {
	for _, lengths := range [][]time.Duration{e.Gaps, e.Starts, e.Exits, e.Runtimes} {
		slices.Sort(lengths)
	}
}

// Quantile is the smallest of the sorted lengths that at least the share q of
// them do not exceed: the nearest rank. Of none it is 0.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(q * float64(len(sorted)))
	if float64(rank) < q*float64(len(sorted)) {
		rank++
	}
	return sorted[min(max(rank, 1), len(sorted))-1]
}
