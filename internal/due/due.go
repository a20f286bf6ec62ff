// Package due keeps things in the order of the instants at which time alone
// can change what is thought of them, so that a look costs in proportion to
// what is due and not to what there is.
package due

import (
	"container/heap"
	"time"
)

// Item is something that can be due. It keeps its own Place.
type Item interface{ Place() *Place }

// Place is where an item stands in a Queue. The zero Place is in none.
type Place struct {
	at    time.Time
	index int // in the heap, from 1
}

// At is when the item is due; zero when it never is.
func (p *Place) At() time.Time { return p.at }

// Queue is a heap of items, the one that is due first on top. The zero Queue is
// empty. It is for one goroutine.
type Queue[T Item] struct{ heap order[T] }

// Put gives item the place that belongs to the instant at, and none where that
// is zero: such an item is never due.
func (q *Queue[T]) Put(item T, at time.Time) {
	p := item.Place()
	p.at = at
	switch {
	case at.IsZero() && p.index > 0:
		heap.Remove(&q.heap, p.index-1)
	case at.IsZero():
	case p.index > 0:
		heap.Fix(&q.heap, p.index-1)
	default:
		heap.Push(&q.heap, item)
	}
}

// First is the item that is due first, of several any; ok is false when none
// ever is.
func (q *Queue[T]) First() (item T, ok bool) {
	if len(q.heap) == 0 {
		return item, false
	}
	return q.heap[0], true
}

// Due visits the items that are due by now, in no order. They keep their
// places, which visit must leave alone.
func (q *Queue[T]) Due(now time.Time, visit func(T)) { q.heap.due(0, now, visit) }

type order[T Item] []T

func (o order[T]) due(i int, now time.Time, visit func(T)) {
	if i < len(o) && !o[i].Place().at.After(now) {
		visit(o[i])
		o.due(2*i+1, now, visit)
		o.due(2*i+2, now, visit)
	}
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (o order[T]) Len() int           { return len(o) }
func (o order[T]) Less(i, j int) bool { return o[i].Place().at.Before(o[j].Place().at) }
func (o order[T]) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].Place().index, o[j].Place().index = i+1, j+1
}

// Push implements heap.Interface.
func (o *order[T]) Push(x any) {
	item := x.(T)
	*o = append(*o, item)
	item.Place().index = len(*o)
}

// Pop implements heap.Interface.
func (o *order[T]) Pop() any {
	last := len(*o) - 1
	item := (*o)[last]
	item.Place().index = 0
	var none T
	(*o)[last] = none
	*o = (*o)[:last]
	return item
}
