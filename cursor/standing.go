package cursor

import (
	"cmp"
	"slices"
	"time"
)

// Standing is where a run stands, without an instant: the columns of the table
// cursor that the log alone decides. Two of them can be compared with ==.
type Standing struct {
	Epoch, EpochEvent, StartEvent int64
	Total                         Total
	Process                       bool
	Position, Terminal, Frontier  int64
	AdvanceEvent, AdvanceEpoch    int64 // 0: no advance yet
	Rows, Failed, Refused         int64

	HasObserved, HasObservedTotal      bool
	Observed, ObservedTotal, TotalHigh int64
	RiseEvent, FullEvent               int64 // 0: the total never rose; not full

	HoldEvent, HoldForMS, HoldEndEvent int64
	SpentMS, BudgetEndEvent            int64

	ExitEvent            int64
	ExitCode, ExitSignal int
	ExitReason, AskedBy  string
	CancelEvent          int64
	Live                 bool
	LastEvent, LastMS    int64
}

// Cancelled reports whether a person ended the run.
func (s Standing) Cancelled() bool { return s.CancelEvent != 0 }

// Standing is where the trail stands after the rows that it was given.
func (t *Trail) Standing() Standing { return t.s }

func (t *Trail) bound() Total {
	return Reading{Total: t.s.Total, Position: t.s.Position,
		HasObservedTotal: t.s.HasObservedTotal, ObservedTotal: t.s.ObservedTotal}.Bound()
}

// Reading is where the run stands at now, an instant of the awake clock, with
// samples that reach back over window. Activity (Growth, Bytes) and what was
// told are not in a trail. The rows must have had their Awake set.
func (t *Trail) Reading(now time.Time, window time.Duration) Reading {
	s := &t.s
	r := Reading{
		Run: t.run, Family: t.family, Epoch: s.Epoch,
		Total: s.Total, Position: s.Position, Frontier: s.Frontier,
		HasObserved: s.HasObserved, Observed: s.Observed,
		HasObservedTotal: s.HasObservedTotal, ObservedTotal: s.ObservedTotal, ObservedTotalHigh: s.TotalHigh,
		StartEvent: s.StartEvent, StartedAt: t.startedAt,
		EpochEvent: s.EpochEvent, EpochAt: t.epochAt,
		AdvanceEvent: s.AdvanceEvent, AdvancedAt: t.advancedAt,
		EpochMoved: s.AdvanceEvent != 0 && s.AdvanceEpoch == s.Epoch,
		Takeovers:  s.Epoch - max(s.AdvanceEpoch, 1),
		FullAt:     t.fullAt,
		LastEvent:  s.LastEvent, LastRowAt: t.lastAt,
		Rows: s.Rows, Failed: s.Failed,
		Hold: t.hold, Spent: t.spent, BudgetEnded: t.budgetEnded,
		Rising:  s.RiseEvent != 0,
		Process: s.Process, Presence: t.presence, GoneSince: t.goneSince,
		Exit: Exit{Known: s.ExitEvent != 0, Code: s.ExitCode, Signal: s.ExitSignal,
			Reason: s.ExitReason, AskedBy: s.AskedBy, Event: s.ExitEvent},
		Cancelled: s.Cancelled(),
		Refused:   s.Refused,
	}
	for _, b := range t.budgets {
		r.Budgets = append(r.Budgets, Span{Event: b.event, At: b.at, Until: b.at.Add(millis(b.forMS))})
	}
	slices.SortFunc(r.Budgets, func(a, b Span) int { return cmp.Compare(a.Event, b.Event) })
	t.samples.forget(now, window)
	if r.Rising {
		r.Samples = slices.Clone(t.samples)
	}
	return r
}
