package store

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Sighting is a run as a look finds it.
type Sighting struct {
	Reading cursor.Reading
	// The stamps of the rows, as their writers' wall clocks gave them, for
	// people. Zero means that there is no such row.
	Started, Advanced, LastRow time.Time
	// Thresholds is the JSON recorded with the run, empty when there is none.
	// It is shared: do not change it.
	Thresholds []byte
	Memory     Memory
	// Told is what the log says was signalled, oldest first: of each epoch the
	// last one of each kind, without reasons. Where it and the Memory differ
	// the log is right, since the Memory is a row that anybody may write.
	Told []Signal

	told      bool // something was
	policy    int64
	ended     bool
	budgetEnd int64      // the row that ended a budget, when no look has placed it yet
	fresh     []landmark // what a look that saw this must put on record
	stale     []int64    // events whose landmark nothing is counted from any more
	read      []landmark // what is on record, the oldest event first
}

// landmark is where an event lies on the awake clock.
type landmark struct {
	event int64
	awake time.Duration
}

// sightings reads the named runs, or all of them for nil.
func (c *conn) sightings(clock cursor.Clock, runs []string) ([]Sighting, error) {
	all := runs == nil
	var list string
	if !all {
		names := slices.DeleteFunc(slices.Clone(runs), func(run string) bool { return !cursor.ValidName(run) })
		// A valid name needs no escape.
		list = `["` + strings.Join(names, `","`) + `"]`
		if len(names) == 0 {
			list = "[]"
		}
	}
	of := func(name string) (string, arg) {
		if all {
			name += "_all"
		}
		return name, arg{"runs", list}
	}
	p := places{clock: clock, landmarks: map[int64]time.Duration{}}
	known := map[string][]landmark{}
	statement, which := of("landmarks")
	err := c.peek(statement, func(row []value) error {
		var run text
		var event, awake num
		fill([]cell{&run, &event, &awake}, row)
		p.landmarks[event.n] = awake.length()
		known[run.s] = append(known[run.s], landmark{event.n, awake.length()})
		return nil
	}, which)
	if err != nil {
		return nil, err
	}
	budgets := map[string][]budget{}
	statement, which = of("budgets")
	err = c.peek(statement, func(row []value) error {
		var run text
		var b budget
		fill([]cell{&run, &b.event, &b.at, &b.limit}, row)
		budgets[run.s] = append(budgets[run.s], b)
		return nil
	}, which)
	if err != nil {
		return nil, err
	}
	var found []Sighting
	var w row
	cells := w.cells()
	statement, which = of("readings")
	err = c.peek(statement, func(row []value) error {
		fill(cells, row)
		found = append(found, w.sighting(p, budgets[w.run.s], known[w.run.s]))
		return nil
	}, which)
	if err != nil {
		return nil, err
	}
	if all {
		err = c.toldAll(found)
	}
	if err == nil {
		err = c.complete(found, p, all)
	}
	if err != nil {
		return nil, err
	}
	if all {
		return found, nil
	}
	return inOrder(runs, found), nil
}

// once sorts names and drops those that are there twice.
func once(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// inOrder gives what was found in the order of the names it was asked by.
func inOrder(runs []string, found []Sighting) []Sighting {
	if len(found) == len(runs) {
		same := true
		for i := range runs {
			same = same && found[i].Reading.Run == runs[i]
		}
		if same {
			return found
		}
	}
	at := make(map[string]int, len(found))
	for i := range found {
		at[found[i].Reading.Run] = i
	}
	ordered := make([]Sighting, len(runs))
	for i, run := range runs {
		switch k, ok := at[run]; {
		case ok:
			ordered[i] = found[k]
		case cursor.ValidName(run):
			ordered[i].Reading = cursor.Reading{Run: run, Blind: cursor.Blindness{
				Reason: BlindNoTrail, Detail: "there is no such run"}}
		default:
			ordered[i].Reading = cursor.Reading{Run: run, Blind: cursor.Blindness{
				Reason: BlindNoTrail, Detail: "no run can have that id"}}
		}
	}
	return ordered
}

// complete adds what only some of the runs have: recorded thresholds, signals,
// unless they are there, and the samples of those whose total rose.
func (c *conn) complete(found []Sighting, p places, told bool) error {
	thresholds := map[int64][]byte{}
	for i := range found {
		s := &found[i]
		if s.policy != 0 {
			body, ok := thresholds[s.policy]
			if !ok {
				err := c.peek("recorded_policy", func(row []value) error {
					var t text
					t.take(row[0])
					body = []byte(t.s)
					return nil
				}, arg{"id", s.policy})
				if err != nil {
					return err
				}
				if !json.Valid(body) {
					body = nil
				}
				thresholds[s.policy] = body
			}
			s.Thresholds = body
		}
		if s.told && !told {
			if err := c.told(s); err != nil {
				return err
			}
		}
		s.recall()
		if s.budgetEnd != 0 {
			if err := c.limitBudget(s); err != nil {
				return err
			}
		}
		if s.Reading.Rising && s.Reading.Blind.Reason == "" && !s.ended {
			if err := c.samples(s, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// limitBudget makes a budget end at its own limit. A row that comes later, and
// is no advance, must not put it off to where that row lies.
func (c *conn) limitBudget(s *Sighting) error {
	return c.peek("budget_limit", func(row []value) error {
		var limit num
		limit.take(row[0])
		at := cursor.At(limit.length())
		if !limit.set || !at.Before(s.Reading.BudgetEnded) {
			return nil
		}
		s.Reading.BudgetEnded = at
		for i := range s.fresh {
			if s.fresh[i].event == s.budgetEnd {
				s.fresh[i].awake = limit.length()
			}
		}
		return nil
	}, arg{"event", s.budgetEnd})
}
