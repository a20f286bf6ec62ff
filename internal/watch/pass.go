package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// pass is one look: read, judge, record, report. A pass that is cut short by
// the end of ctx is no error.
func (w *Watch) pass(ctx context.Context, all bool) error {
	w.looks++
	now := w.Now()
	w.charge.look(now, w.blind != nil)
	found, err := w.see(ctx, all)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return w.Report(w.report(w.blinded(err)))
	}
	var sighted *Sight
	if w.blind != nil {
		sighted = w.sighted()
	}
	r, judged := w.judge(found)
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
		ask.Since, ask.Live, ask.All = since, true, all || !known
	}
	return w.trail.Look(ctx, ask)
}

// open opens the trail by its path. Another trail than the first is not taken
// for it.
func (w *Watch) open(ctx context.Context) error {
	trail, why, err := w.Open(ctx)
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
	w.name, w.trail, w.why, w.record = name, trail, why, nil
	w.tried = w.Now().Mono
	if why == nil {
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
	return runs
}

// judge has policy say what to think of each run that was found.
func (w *Watch) judge(found store.Found) (Report, []judgement) {
	r := Report{Clock: found.Clock, First: !w.seen, Known: w.known}
	if len(found.Runs) == 0 {
		return r, nil
	}
	now := found.Clock.Now()
	judged := make([]judgement, len(found.Runs))
	for i := range found.Runs {
		s := &found.Runs[i]
		j := &judged[i]
		thresholds := w.Thresholds(s.Reading.Family, s.Thresholds)
		j.row = Row{Verdict: thresholds.Judge(s.Reading, now), Started: s.Started, Advanced: s.Advanced, LastRow: s.LastRow}
		before, known := memoryOf(s)
		j.signals, j.memory = policy.Edges(before, j.row.Verdict, nil)
		j.again = policy.LookAgain(j.memory, j.row.Verdict, now)
		// A run that cannot be read can only be shown.
		j.changed = s.Reading.Blind.Reason == "" && (!known || j.memory != before)
		j.run, j.before, j.reason = s, before.State, before.Reason
		if e := w.due.runs[s.Reading.Run]; e != nil {
			j.before, j.reason = e.Verdict.State, e.Verdict.Reason
		}
	}
	return r, judged
}

// judgement is what one look thinks of one run.
type judgement struct {
	run     *store.Sighting
	row     Row
	memory  policy.Memory
	again   time.Time
	signals []policy.Signal
	changed bool
	before  policy.State
	reason  string

	moved bool
	told  []Told
}

// memoryOf is the judge's memory as it was kept, or, where that is lost, as the
// log remembers it.
func memoryOf(s *store.Sighting) (m policy.Memory, known bool) {
	if s.Memory.Known && json.Unmarshal(s.Memory.Data, &m) == nil {
		return m, true
	}
	m = policy.Memory{}
	for _, t := range s.Told {
		m = m.Note(policy.Signal{Kind: strings.TrimPrefix(t.Kind, "signal."), Epoch: t.Epoch, Since: t.Since})
	}
	return m, false
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
				j.told = append(j.told, Told{Signal: j.signals[k], Event: s.Event})
			}
		}
	}
	w.since = found.Newest
	w.row.Looks++
	w.missed, w.tell = 0, nil
	w.sealing.saw(found.Newest, found.Clock.Instant().Mono)
	return nil
}

// toRecord is the judgement as the store keeps it.
func (j *judgement) toRecord() store.Judged {
	kept := store.Judged{Run: j.run, Changed: j.changed}
	if !j.changed {
		return kept
	}
	v := &j.row.Verdict
	data, err := json.Marshal(j.memory)
	if err != nil {
		panic("watch: " + err.Error()) // a plain struct of numbers and words
	}
	kept.Still = v.State.Still() || v.State == policy.Degraded && v.Reason != policy.ReasonReceding &&
		v.Reason != policy.ReasonRegressed && v.Reason != policy.ReasonUnexited
	kept.Verdict = store.Memory{State: string(v.State), Reason: v.Reason, Since: v.Since, Data: data}
	for _, s := range j.signals {
		kept.Signals = append(kept.Signals, store.Signal{Kind: s.EventKind(), Epoch: s.Epoch, Since: s.Since,
			Reason: v.Reason, Data: Evidence(v)})
	}
	return kept
}

// settle takes what was judged into the table, and what is new into the report.
func (w *Watch) settle(r *Report, judged []judgement) {
	for i := range judged {
		j := &judged[i]
		if j.moved {
			continue // it is judged again at the next look
		}
		v := &j.row.Verdict
		run := v.Reading.Run
		c := Change{Row: j.row, Before: j.before, Reason: j.reason, Told: j.told}
		if r.First || c.IsNew() || len(c.Told) > 0 || v.State == policy.Blind {
			r.Changes = append(r.Changes, c)
		}
		if e := w.due.runs[run]; e != nil && e.Verdict.State == policy.Blind {
			w.blindRuns--
		}
		if v.State == policy.Blind {
			// Nothing announces that a run can be read again.
			w.blindRuns++
			j.again = r.Clock.Now()
		}
		if !v.State.Ended() {
			delete(w.ended, run)
			w.due.put(j.row, j.again)
			continue
		}
		w.due.forget(run)
		if w.ended[run] != v.State && j.before != v.State {
			w.ends = append([]Row{j.row}, w.ends[:min(len(w.ends), keptEnds-1)]...)
		}
		w.ended[run] = v.State
	}
	switch {
	case w.blindRuns == 0:
		w.row.Blind, w.row.BlindTo = time.Time{}, ""
	case w.row.Blind.IsZero():
		w.row.Blind, w.row.BlindTo = w.Now().Wall, store.BlindCorrupt
	}
}

// report completes a report with what every one has.
func (w *Watch) report(r Report) Report {
	r.At, r.Looks, r.Missed = w.Now().Wall, w.looks, w.skipped
	r.Rows, r.Ends = w.rows, w.ends
	return r
}

// rows are the runs that have not ended, worst first.
func (w *Watch) rows() []Row {
	rows := make([]Row, 0, len(w.due.runs))
	now := w.clock.Now()
	for _, e := range w.due.runs {
		row := e.Row
		// The same verdict, with the silence of now.
		row.Verdict = row.Verdict.Policy.Judge(row.Verdict.Reading, now)
		rows = append(rows, row)
	}
	SortWorst(rows)
	return rows
}
