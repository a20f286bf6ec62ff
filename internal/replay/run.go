package replay

import (
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/due"
	"github.com/progmon/progmon/policy"
)

// run is one run of the tape, as its monitor knows it.
type run struct {
	name    string
	trail   *cursor.Trail
	policy  policy.Policy
	pending []row // what no look has seen yet
	bytes   int64 // log bytes that no look has seen yet
	growth  int64 // looks since the last advance at which the log had grown
	grown   int64 // by how many bytes

	verdict policy.Verdict // the last
	memory  policy.Memory
	place   due.Place // among those that must be looked at again, on the awake clock
}

// Place implements due.Item.
func (r *run) Place() *due.Place { return &r.place }

// row is a line that happened, with the monotonic clock at it.
type row struct {
	line  Line
	event cursor.Event
	mono  time.Duration
}

func newRun(l *Line, p policy.Policy) *run {
	return &run{trail: cursor.NewTrail(l.Run, l.Family, l.Process), policy: p, name: l.Run}
}

func (r *run) add(l Line, mono time.Duration, wallMS int64) {
	if l.Kind == Activity {
		r.bytes += l.Bytes
		return
	}
	e := l.Event
	if e.AtMS == 0 {
		e.AtMS = wallMS
	}
	r.pending = append(r.pending, row{line: l, event: e, mono: mono})
}

// apply folds one row. What the line leaves open is what stands at that moment.
func (r *run) apply(row *row) error {
	stands := r.trail.Standing()
	e := &row.event
	switch {
	case e.Epoch != 0:
	case e.Kind == cursor.RunStarted:
		e.Epoch = 1
	case e.Kind == cursor.RunTakeover:
		e.Epoch = stands.Epoch + 1
	default:
		e.Epoch = stands.Epoch
	}
	if row.line.keepTotal {
		e.Total.N, e.Total.Known = stands.Total.N, stands.Total.Known
	}
	if row.line.keepOpen {
		e.Total.Open = stands.Total.Open
	}
	_, err := r.trail.Apply(e)
	return err
}

// reading is where the run stands at now.
func (r *run) reading(now time.Time) cursor.Reading {
	reading := r.trail.Reading(now, r.policy.StallAfter)
	reading.Growth, reading.Bytes = r.growth, r.grown
	reading.Told, reading.Carried = r.memory.Told(reading), r.memory.Carried(reading)
	return reading
}
