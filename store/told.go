package store

import (
	"cmp"
	"slices"
)

// told reads what the log says was signalled of a run.
func (c *conn) told(s *Sighting) error {
	return c.peek("told", func(row []value) error {
		_, sig := tellOf(row)
		s.Told = append(s.Told, sig)
		return nil
	}, arg{"run_id", s.Reading.Run})
}

// toldAll does the same for all runs, found being all of them.
func (c *conn) toldAll(found []Sighting) error {
	of := make(map[string]*Sighting, len(found))
	for i := range found {
		if s := &found[i]; s.told {
			of[s.Reading.Run] = s
		}
	}
	return c.peek("told_all", func(row []value) error {
		run, sig := tellOf(row)
		if s := of[run]; s != nil {
			s.Told = append(s.Told, sig)
		}
		return nil
	})
}

func tellOf(row []value) (run string, sig Signal) {
	var id, kind text
	var epoch, since, event num
	fill([]cell{&id, &epoch, &kind, &since, &event}, row)
	return id.s, Signal{Kind: kind.s, Epoch: epoch.n, Since: since.n, Event: event.n}
}

// recall puts what was told in its order, and says whether the episode that the
// run is in was told as stalled, of this worker or of an earlier one.
func (s *Sighting) recall() {
	slices.SortFunc(s.Told, func(a, b Signal) int { return cmp.Compare(a.Event, b.Event) })
	r := &s.Reading
	for _, t := range s.Told {
		switch t.Kind {
		case "signal.stalled":
			r.Told = r.Told || t.Epoch == r.Epoch && t.Since == r.Since()
			r.Carried = t.Epoch < r.Epoch && t.Since == r.Since()
		case "signal.done", "signal.failed", "signal.cancelled":
			r.Carried = false
		}
	}
}
