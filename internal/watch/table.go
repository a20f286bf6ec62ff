package watch

import (
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

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
	case w.blindRuns == 0 && !w.Roots.Shut():
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
	rows = append(rows, w.standing()...)
	SortWorst(rows)
	return rows
}
