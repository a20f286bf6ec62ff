package watch

import (
	"context"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// ownClock is the awake clock of a loop that has no trail to keep it in.
type ownClock struct{ state cursor.ClockState }

func (o *ownClock) looked() bool { return o.state.HasLook }

// look is the clock at now. Of a gap no more than limit is charged, 0 for all
// of it.
func (o *ownClock) look(now cursor.Instant, limit time.Duration) cursor.Clock {
	clock := cursor.NewClock(o.state, now, limit)
	o.state = cursor.ClockState{HasLook: true, Look: cursor.Anchor{Wall: now.Wall, Mono: now.Mono}, Awake: cursor.Awake(clock.Now())}
	return clock
}

// absent reports whether err only says that there never was a trail, which is
// no blindness here.
func (w *Watch) absent(err error) bool {
	reason, _ := why(err)
	return w.Optional && w.name == "" && reason == store.BlindMissing
}

// inspect looks at the directories.
func (w *Watch) inspect(ctx context.Context, found *store.Found, once bool) error {
	in := Inspection{Charge: w.charge.limit, Thresholds: w.Thresholds, Once: once}
	if w.trail != nil {
		in.Trail = w.trail
	}
	return w.Roots.Inspect(ctx, in, found)
}

// tellRoots takes what the directories said into the report, and notes which
// runs must be looked at for their process.
func (w *Watch) tellRoots(r *Report, judged []judgement) {
	for i := range judged {
		v := &judged[i].row.Verdict
		if v.Reading.Process && !v.State.Ended() || judged[i].moved {
			w.process[v.Reading.Run] = true
		} else {
			delete(w.process, v.Reading.Run)
		}
	}
	if w.Roots == nil {
		return
	}
	r.Back = w.Roots.back
	for _, c := range w.Roots.news {
		r.Changes = append(r.Changes, c)
		if c.Verdict.State.Ended() && !c.Before.Ended() {
			w.ends = append([]Row{c.Row}, w.ends[:min(len(w.ends), keptEnds-1)]...)
		}
	}
}

// standing are the rows of the directories that have none in the trail and
// have not ended.
func (w *Watch) standing() []Row {
	if w.Roots == nil {
		return nil
	}
	var rows []Row
	for _, row := range w.Roots.Plain(w.clock, w.Thresholds("", nil)) {
		if !row.Verdict.State.Ended() {
			rows = append(rows, row)
		}
	}
	return rows
}
