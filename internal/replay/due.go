package replay

import (
	"container/heap"
	"time"
)

// due is the runs of which time alone can say something new, the earliest
// first.
type due struct{ runs order }

// first is the run that is due first, nil when none is.
func (d *due) first() *run {
	if len(d.runs) == 0 {
		return nil
	}
	return d.runs[0]
}

// drop takes the first out of the order.
func (d *due) drop() { d.put(d.runs[0], time.Time{}) }

// put makes r due at an instant of the awake clock; zero is never.
func (d *due) put(r *run, at time.Time) {
	r.due = at
	switch {
	case at.IsZero() && r.place >= 0:
		heap.Remove(&d.runs, r.place)
	case at.IsZero():
	case r.place >= 0:
		heap.Fix(&d.runs, r.place)
	default:
		heap.Push(&d.runs, r)
	}
}

// order is a heap by due, and by name where that is the same.
type order []*run

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (o order) Len() int { return len(o) }

// Less implements heap.Interface.
func (o order) Less(i, j int) bool {
	if c := o[i].due.Compare(o[j].due); c != 0 {
		return c < 0
	}
	return o[i].name < o[j].name
}

// Swap implements heap.Interface.
func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].place, o[j].place = i, j
}

// Push implements heap.Interface.
func (o *order) Push(x any) {
	r := x.(*run)
	r.place = len(*o)
	*o = append(*o, r)
}

// Pop implements heap.Interface.
func (o *order) Pop() any {
	old := *o
	r := old[len(old)-1]
	r.place = -1
	old[len(old)-1] = nil
	*o = old[:len(old)-1]
	return r
}
