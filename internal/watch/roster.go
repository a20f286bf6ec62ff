package watch

import (
	"time"

	"github.com/progmon/progmon/internal/due"
)

// entry is a run as the loop last judged it.
type entry struct {
	Row
	place due.Place // among those that must be judged again though nothing changes
}

// Place implements due.Item.
func (e *entry) Place() *due.Place { return &e.place }

// roster is the runs that have not ended, in the order in which they must be
// judged again though their trails do not change, on the awake clock.
type roster struct {
	queue due.Queue[*entry]
	runs  map[string]*entry
}

func newRoster() *roster { return &roster{runs: map[string]*entry{}} }

// put keeps a run, and gives it its place in the order.
func (r *roster) put(row Row, again time.Time) {
	run := row.Verdict.Reading.Run
	e := r.runs[run]
	if e == nil {
		e = &entry{}
		r.runs[run] = e
	}
	e.Row = row
	r.queue.Put(e, again)
}

// forget drops a run that has ended.
func (r *roster) forget(run string) {
	if e := r.runs[run]; e != nil {
		r.queue.Put(e, time.Time{})
		delete(r.runs, run)
	}
}

// at appends to runs those that are due by now. They keep their place until put
// gives them another.
func (r *roster) at(now time.Time, runs []string) []string {
	r.queue.Due(now, func(e *entry) { runs = append(runs, e.Verdict.Reading.Run) })
	return runs
}
