package watch

import (
	"container/heap"
	"time"
)

// entry is a run as the loop last judged it.
type entry struct {
	Row
	again time.Time // when it must be judged again though nothing changes; zero: never
	at    int       // its place in the due order, -1 when it has none
}

// due is the runs in the order in which they must be judged again though their
// trails do not change, on the awake clock.
type due struct {
	heap order
	runs map[string]*entry
}

func newDue() *due { return &due{runs: map[string]*entry{}} }

// put keeps a run, and gives it its place in the order.
func (d *due) put(row Row, again time.Time) {
	run := row.Verdict.Reading.Run
	e := d.runs[run]
	if e == nil {
		e = &entry{at: -1}
		d.runs[run] = e
	}
	e.Row, e.again = row, again
	switch {
	case again.IsZero() && e.at >= 0:
		heap.Remove(&d.heap, e.at)
	case again.IsZero():
	case e.at >= 0:
		heap.Fix(&d.heap, e.at)
	default:
		heap.Push(&d.heap, e)
	}
}

// forget drops a run that has ended.
func (d *due) forget(run string) {
	if e := d.runs[run]; e != nil {
		if e.at >= 0 {
			heap.Remove(&d.heap, e.at)
		}
		delete(d.runs, run)
	}
}

// at appends to runs those that are due by now. They keep their place until put
// gives them another.
func (d *due) at(now time.Time, runs []string) []string {
	return d.heap.until(0, now, runs)
}

// order is a heap by the instant of the next judgement.
type order []*entry

func (o order) until(i int, now time.Time, runs []string) []string {
	if i >= len(o) || o[i].again.After(now) {
		return runs
	}
	runs = append(runs, o[i].Verdict.Reading.Run)
	return o.until(2*i+2, now, o.until(2*i+1, now, runs))
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (o order) Len() int           { return len(o) }
func (o order) Less(i, j int) bool { return o[i].again.Before(o[j].again) }
func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].at, o[j].at = i, j
}

// Push implements heap.Interface.
func (o *order) Push(x any) {
	e := x.(*entry)
	e.at = len(*o)
	*o = append(*o, e)
}

// Pop implements heap.Interface.
func (o *order) Pop() any {
	old := *o
	e := old[len(old)-1]
	e.at = -1
	old[len(old)-1] = nil
	*o = old[:len(old)-1]
	return e
}
