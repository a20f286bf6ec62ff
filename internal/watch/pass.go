package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progmon/progmon/store"
)

// pass is one look: read, judge, record, report. A pass that is cut short by
// the end of ctx is no error.
func (w *Watch) pass(ctx context.Context, all bool) error {
	w.looks++
	now := w.Now()
	w.charge.look(now, w.blind != nil)
	w.Roots.List(ctx, now.Wall)
	found, err := w.see(ctx, all)
	switch {
	case w.absent(err):
		found, err = store.Found{Clock: w.own.look(now, 2*w.Interval)}, nil
	case err == nil && w.own.looked():
		w.own = ownClock{}
		w.Roots.forget()
	}
	if err == nil {
		err = w.inspect(ctx, &found, all)
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return w.Report(w.report(w.blinded(err)))
	}
	w.respawn(ctx, &found)
	var sighted *Sight
	if w.blind != nil {
		sighted = w.sighted()
	}
	r, judged := w.judge(found, all)
	r.Sighted = sighted
	r.Unrecorded = w.keep(ctx, found, judged)
	if ctx.Err() != nil && r.Unrecorded != nil {
		return nil
	}
	if reason, _ := why(r.Unrecorded); reason == store.BlindReplaced {
		// It went away between the reading and the recording.
		return w.Report(w.report(w.blinded(r.Unrecorded)))
	}
	w.settle(&r, judged)
	w.tellRoots(&r, judged)
	if !all {
		w.watchOthers(ctx, &r)
	}
	w.clock = found.Clock
	w.seen, w.whole = true, w.whole && r.Unrecorded != nil && w.record != nil
	if err := w.Report(w.report(r)); err != nil {
		return err
	}
	w.seal(ctx, all)
	return nil
}

// see opens what is not open, makes sure that it is what it was, and looks.
func (w *Watch) see(ctx context.Context, all bool) (store.Found, error) {
	none := store.Found{}
	if w.trail != nil && w.blind != nil && w.blind.Reason == store.BlindReplaced {
		// As long as anything of this process holds a write-ahead log that was
		// deleted, whoever opens the file anew is given the same one.
		if err := w.close(); err != nil {
			return none, err
		}
	}
	if w.trail != nil {
		if err := w.trail.Check(ctx); err != nil {
			return none, err
		}
		if w.blind != nil || w.record == nil && w.Now().Mono-w.tried >= time.Minute {
			// What was open may be bound to a file that is gone, or could not
			// be written.
			if err := w.close(); err != nil && w.blind == nil {
				return none, err
			}
		}
	}
	if w.trail == nil {
		if err := w.open(ctx); err != nil {
			return none, err
		}
	}
	ask := store.Ask{Since: w.since, Due: w.dueAt, Charge: w.charge.limit, All: all}
	if w.whole {
		since, known, err := w.before(ctx)
		if err != nil {
			return none, err
		}
		w.known = known
		ask.Since, ask.Live, ask.Untold, ask.All = since, true, true, all || !known
	}
	found, err := w.trail.Look(ctx, ask)
	if err == nil && found.Newest < w.since {
		err = &store.BlindError{Reason: store.BlindReplaced, Detail: fmt.Sprintf(
			"an older copy of the trail lies under its path: its log ends at event %d, and %d was seen", found.Newest, w.since)}
	}
	return found, err
}

// open opens the trail by its path. Another trail than the first is not taken
// for it.
func (w *Watch) open(ctx context.Context) error {
	trail, unwritable, err := w.Open(ctx)
	if reason, _ := why(err); reason == store.BlindMissing && w.name != "" {
		err = &store.BlindError{Reason: store.BlindReplaced, Detail: "the file was deleted or moved while it was open"}
	}
	if err != nil {
		return err
	}
	name, err := trail.Instance(ctx)
	if err == nil && w.name != "" && name != w.name {
		err = &store.BlindError{Reason: store.BlindReplaced, Detail: fmt.Sprintf(
			"another trail lies under its path: instance %s and not %s", name, w.name)}
	}
	if err != nil {
		return errors.Join(err, trail.Close())
	}
	w.name, w.trail, w.why, w.record = name, trail, unwritable, nil
	w.tried = w.Now().Mono
	if unwritable == nil {
		w.record = trail.(Record)
		w.whole = true // what was judged meanwhile may not be on record
	}
	return nil
}

// before is the newest row that a monitor before this one has seen, and whether
// there was one.
func (w *Watch) before(ctx context.Context) (since int64, known bool, err error) {
	monitors, err := w.trail.Monitors(ctx)
	for _, m := range monitors {
		since = max(since, m.LastEvent)
	}
	return since, len(monitors) > 0, err
}

// dueAt appends the runs that must be judged though they did not change.
func (w *Watch) dueAt(now time.Time, runs []string) []string {
	runs = w.due.at(now, runs)
	for run := range w.again {
		runs = append(runs, run)
	}
	for run := range w.process {
		if w.Roots.has(run) {
			runs = append(runs, run)
		}
	}
	return w.Roots.unknown(runs)
}

// keep puts the look on record, and says why it could not.
func (w *Watch) keep(ctx context.Context, found store.Found, judged []judgement) error {
	if w.record == nil {
		w.since = found.Newest
		return w.why
	}
	w.row.Missed, w.row.LastEvent = w.missed, w.since
	look := store.Look{Monitor: w.row, Found: found, Blindness: w.tell}
	if len(judged) > 0 {
		look.Judged = make([]store.Judged, len(judged))
	}
	for i := range judged {
		look.Judged[i] = judged[i].toRecord()
	}
	if err := w.record.RecordLook(ctx, &look); err != nil {
		for i := range judged {
			if judged[i].changed {
				w.again[judged[i].run.Reading.Run] = true
			}
		}
		return err
	}
	clear(w.again)
	for i := range judged {
		j := &judged[i]
		if j.moved = look.Judged[i].Moved; j.moved {
			w.again[j.run.Reading.Run] = true
			continue
		}
		for k, s := range look.Judged[i].Signals {
			if s.Event != 0 {
				told := Told{Signal: j.signals[k], Event: s.Event}
				told.Since = s.Since
				j.told = append(j.told, told)
			}
		}
	}
	w.since = found.Newest
	w.row.Looks++
	w.missed, w.tell = 0, nil
	w.sealing.saw(found.Newest, found.Clock.Instant().Mono)
	return nil
}
