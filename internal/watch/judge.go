package watch

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// judge has policy say what to think of each run that was found.
func (w *Watch) judge(found store.Found, once bool) (Report, []judgement) {
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
		j.row = Row{Verdict: thresholds.Judge(s.Reading, now), Started: s.Started, Advanced: s.Advanced, LastRow: s.LastRow, Files: w.Roots.Of(s.Reading.Run)}
		before, known := memoryOf(s)
		j.signals, j.memory = policy.Edges(before, j.row.Verdict, nil)
		j.again = policy.LookAgain(j.memory, j.row.Verdict, now)
		// A run that cannot be read can only be shown.
		j.changed = s.Reading.Blind.Reason == "" && (!known || j.memory != before)
		if n := w.Roots.heard(s.Reading.Run); n != nil && n.Epoch == s.Reading.Epoch {
			j.noise = n
			j.changed = j.changed || known && n.worthARow(thresholds.LoopRows, once)
		}
		j.run, j.before, j.reason = s, before.State, before.Reason
		w.giveUp(j)
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
	noise   *noise // nil: its log was not looked at
	before  policy.State
	reason  string

	moved bool
	told  []Told
}

// memoryOf is the judge's memory: the last verdict as it was kept, and what was
// told as the log has it. What was kept of that is of no account: nobody must be
// able to silence a signal by writing that it was said.
func memoryOf(s *store.Sighting) (m policy.Memory, known bool) {
	for _, t := range s.Told {
		m = m.Note(policy.Signal{Kind: strings.TrimPrefix(t.Kind, "signal."), Epoch: t.Epoch, Since: t.Since})
	}
	var kept policy.Memory
	if !s.Memory.Known || json.Unmarshal(s.Memory.Data, &kept) != nil {
		return m, false
	}
	m.State, m.Reason = kept.State, kept.Reason
	// That an end was taken back and the episode goes on leaves no row.
	if kept.Open == m.Stalled {
		m.Open = kept.Open
	}
	return m, true
}

// toRecord is the judgement as the store keeps it.
func (j *judgement) toRecord() store.Judged {
	kept := store.Judged{Run: j.run, Changed: j.changed}
	if !j.changed {
		return kept
	}
	v := &j.row.Verdict
	data, err := json.Marshal(struct {
		policy.Memory
		Log *noise `json:"log,omitempty"`
	}{j.memory, j.noise})
	if err != nil {
		panic("watch: " + err.Error()) // a plain struct of numbers and words
	}
	kept.Still = v.BySilence()
	kept.Verdict = store.Memory{State: string(v.State), Reason: v.Reason, Since: v.Since, Data: data}
	for _, s := range j.signals {
		kept.Signals = append(kept.Signals, store.Signal{Kind: s.EventKind(), Epoch: s.Epoch, Since: s.Since,
			Reason: v.Reason, Data: Evidence(v)})
	}
	return kept
}
