package due_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/internal/due"
)

type thing struct {
	name  int
	place due.Place
}

func (t *thing) Place() *due.Place { return &t.place }

// TestAQueueIsASortedList: after any sequence of Put, what is first and what is
// due are what a list that is sorted each time would say.
func TestAQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q due.Queue[*thing]
		things := make([]*thing, 8)
		for i := range things {
			things[i] = &thing{name: i}
		}
		want := map[int]time.Time{}
		for range rapid.IntRange(1, 60).Draw(t, "puts") {
			i, s := rapid.IntRange(0, 7).Draw(t, "thing"), rapid.Int64Range(0, 20).Draw(t, "at")
			at := time.Time{}
			delete(want, i)
			if s > 0 {
				at = time.Unix(s, 0)
				want[i] = at
			}
			q.Put(things[i], at)
			if got := things[i].place.At(); !got.Equal(at) {
				t.Fatalf("At() = %v, want %v", got, at)
			}
		}
		first, ok := q.First()
		if ok != (len(want) > 0) {
			t.Fatalf("First() = %v, with %d that are due", ok, len(want))
		}
		for i, at := range want {
			if at.Before(first.place.At()) {
				t.Fatalf("First() is thing %d at %v, and %d is due at %v", first.name, first.place.At(), i, at)
			}
		}
		now := time.Unix(rapid.Int64Range(0, 21).Draw(t, "now"), 0)
		var got, all []int
		q.Due(now, func(each *thing) { got = append(got, each.name) })
		for i, at := range want {
			if !at.After(now) {
				all = append(all, i)
			}
		}
		slices.Sort(got)
		slices.Sort(all)
		if !slices.Equal(got, all) {
			t.Fatalf("Due(%v) = %v, want %v", now, got, all)
		}
	})
}
