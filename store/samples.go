package store

import (
	"math/bits"
	"slices"
	"time"

	"github.com/progmon/progmon/cursor"
)

// What a receding run is judged by is where it stood at the older edge of a
// window. The looks of monitors leave landmarks for that, the closer together
// the younger they are, so that any window is met to within an eighth of it at
// the price of a few dozen rows. What no look has seen yet is found in the log
// in the same steps, by point reads: the cost does not grow with the log.

// samples puts into the reading where the run stood in the past, oldest first.
func (c *conn) samples(s *Sighting, p places) error {
	type sample struct {
		cursor.Sample
		event int64
	}
	var all []sample
	add := func(event int64, at time.Time, position, total num) {
		if !position.bad && !total.bad {
			all = append(all, sample{cursor.Sample{At: at, Position: max(position.n, 0), Total: max(total.n, 0)}, event})
		}
	}
	run := arg{"run_id", s.Reading.Run}
	newest := s.Reading.StartEvent - 1
	err := c.peek("samples", func(row []value) error {
		var event, awake, position, total num
		fill([]cell{&event, &awake, &position, &total}, row)
		add(event.n, cursor.At(awake.length()), position, total)
		newest = max(newest, event.n)
		return nil
	}, run)
	if err != nil {
		return err
	}
	// From the newest row back to the newest landmark, by growing steps.
	step := int64(1)
	for event := s.Reading.LastEvent; event > newest; event, step = event-step, step+max(step/8, 1) {
		var id, at, position, total num
		err := c.peek("sample_at", func(row []value) error {
			fill([]cell{&id, &at, &position, &total}, row)
			return nil
		}, run, arg{"event", event})
		if err != nil {
			return err
		}
		if !id.set || id.n <= newest {
			break
		}
		placed, _ := p.of(id, at)
		add(id.n, placed, position, total)
		event = id.n
	}
	slices.SortFunc(all, func(a, b sample) int { return int(min(max(a.event-b.event, -1), 1)) })
	highest := int64(0)
	var last time.Time
	for _, each := range all {
		highest = max(highest, each.Position)
		each.Position = highest
		if each.At.Before(last) {
			each.At = last
		}
		last = each.At
		s.Reading.Samples = append(s.Reading.Samples, each.Sample)
	}
	return nil
}

// oldestSample is how far back a landmark is kept for its sample.
const oldestSample = 25 * time.Hour

// thin says which landmarks of a run whose total rises are kept as samples: the
// oldest of each slot, slots being as long as a power of two in milliseconds
// and at most an eighth of their age. Slots of one length lie inside those of
// the next, so that thinning again at every look does not thin to nothing.
// marks are oldest first.
func thin(marks []landmark, now time.Duration) (keep []int64) {
	type slot struct{ length, number int64 }
	taken := map[slot]bool{}
	for i, m := range marks {
		age := max((now - m.awake).Milliseconds(), 8)
		if now-m.awake > oldestSample && i+1 < len(marks) && now-marks[i+1].awake > oldestSample {
			continue // only the newest one beyond is the edge of longer windows
		}
		at := slot{length: 1 << (bits.Len64(uint64(age/8)) - 1)}
		at.number = m.awake.Milliseconds() / at.length
		if !taken[at] {
			taken[at] = true
			keep = append(keep, m.event)
		}
	}
	return keep
}
