package store

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// row is one line of readings.sql: a run, its cursor, its last verdict.
type row struct {
	run      text
	family   text
	policy   num
	runEpoch num

	epoch, epochEvent, epochMS, startEvent, startMS   num
	total, open, process, position, terminal          num
	frontier, advanceEvent, advanceMS, advanceEpoch   num
	rowsSince, failedSince, refused                   num
	observed, observedTotal, totalHigh, riseEvent     num
	fullEvent, fullMS                                 num
	holdEvent, holdMS, holdForMS                      num
	holdReason                                        text
	holdEndEvent, holdEndMS                           num
	spentMS, budgetEndEvent, budgetEndMS              num
	exitEvent, exitCode, exitSignal                   num
	exitReason, askedBy                               text
	cancelEvent, live, lastEvent, lastMS              num
	verdictEpoch                                      num
	verdictState, verdictReason                       text
	verdictSince, verdictAtMS, verdictAwakeMS, seenBy num
	verdictData                                       text
	told                                              num
}

// cells are where the columns go, in their order.
func (w *row) cells() []cell {
	return []cell{
		&w.run, &w.family, &w.policy, &w.runEpoch,
		&w.epoch, &w.epochEvent, &w.epochMS, &w.startEvent, &w.startMS,
		&w.total, &w.open, &w.process, &w.position, &w.terminal, &w.frontier,
		&w.advanceEvent, &w.advanceMS, &w.advanceEpoch, &w.rowsSince, &w.failedSince, &w.refused,
		&w.observed, &w.observedTotal, &w.totalHigh, &w.riseEvent, &w.fullEvent, &w.fullMS,
		&w.holdEvent, &w.holdMS, &w.holdForMS, &w.holdReason, &w.holdEndEvent, &w.holdEndMS,
		&w.spentMS, &w.budgetEndEvent, &w.budgetEndMS,
		&w.exitEvent, &w.exitCode, &w.exitSignal, &w.exitReason, &w.askedBy,
		&w.cancelEvent, &w.live, &w.lastEvent, &w.lastMS,
		&w.verdictEpoch, &w.verdictState, &w.verdictReason, &w.verdictSince,
		&w.verdictAtMS, &w.verdictAwakeMS, &w.seenBy, &w.verdictData, &w.told,
	}
}

// fault says in what way the row breaks the rules of the trail, "" when it
// keeps those that a reading rests on. db verify knows all of them.
func (w *row) fault() string {
	switch {
	case w.run.bad || !cursor.ValidName(w.run.s):
		return "its id is none that a run can have"
	case !w.epoch.set:
		return "it has no cursor"
	case w.family.bad || !cursor.ValidName(w.family.s):
		return "its family is none that a run can have"
	case !w.startEvent.set || !w.epochEvent.set:
		return "the row that opened it is not in its cursor"
	case w.epoch != w.runEpoch || w.epoch.n < 1:
		return "its epoch and its cursor's differ"
	case w.frontier.n < 0 || w.frontier.n > w.terminal.n || w.terminal.n > w.position.n:
		return "its cursor does not count from zero"
	case w.total.n < 0 || w.rowsSince.n < 0 || w.failedSince.n < 0 || w.spentMS.n < 0:
		return "its cursor counts below zero"
	}
	for _, c := range []*num{
		&w.epoch, &w.epochEvent, &w.epochMS, &w.startEvent, &w.startMS, &w.total, &w.open, &w.process,
		&w.position, &w.terminal, &w.frontier, &w.advanceEvent, &w.advanceMS, &w.advanceEpoch,
		&w.rowsSince, &w.failedSince, &w.refused, &w.observed, &w.observedTotal, &w.totalHigh, &w.riseEvent,
		&w.fullEvent, &w.fullMS, &w.holdEvent, &w.holdMS, &w.holdForMS, &w.holdEndEvent, &w.holdEndMS,
		&w.spentMS, &w.budgetEndEvent, &w.budgetEndMS, &w.exitEvent, &w.exitCode, &w.exitSignal,
		&w.cancelEvent, &w.live, &w.lastEvent, &w.lastMS,
	} {
		if c.bad {
			return "its cursor holds what is no number"
		}
	}
	return ""
}

// reading is what the row says of its run.
func (w *row) reading(p places, budgets []budget) cursor.Reading {
	if why := w.fault(); why != "" {
		return cursor.Reading{Run: w.run.s, Family: w.family.s,
			Blind: cursor.Blindness{Reason: BlindCorrupt, Detail: why}}
	}
	r := cursor.Reading{
		Run: w.run.s, Family: w.family.s, Epoch: w.epoch.n,
		Total:    cursor.Total{N: w.total.n, Known: w.total.set, Open: w.open.n == 1},
		Position: w.position.n, Frontier: w.frontier.n,
		HasObserved: w.observed.set, Observed: w.observed.n,
		HasObservedTotal: w.observedTotal.set, ObservedTotal: w.observedTotal.n, ObservedTotalHigh: w.totalHigh.n,
		StartEvent: w.startEvent.n, EpochEvent: w.epochEvent.n, AdvanceEvent: w.advanceEvent.n,
		EpochMoved: w.advanceEpoch.set && w.advanceEpoch == w.epoch,
		Takeovers:  max(w.epoch.n-max(w.advanceEpoch.n, 1), 0),
		LastEvent:  w.lastEvent.n,
		Rows:       w.rowsSince.n, Failed: w.failedSince.n,
		Spent:   w.spentMS.length(),
		Rising:  w.riseEvent.set,
		Process: w.process.n == 1,
		Exit: cursor.Exit{Known: w.exitEvent.set, Code: int(w.exitCode.n), Signal: int(w.exitSignal.n),
			Reason: w.exitReason.s, AskedBy: w.askedBy.s, Event: w.exitEvent.n},
		Cancelled: w.cancelEvent.set,
		Refused:   w.refused.n,
	}
	if r.Process {
		r.Presence = cursor.Unknown
	}
	var sureStart bool
	r.StartedAt, sureStart = p.of(w.startEvent, w.startMS)
	r.UnsureStart = !sureStart
	r.FullAt, _ = p.of(w.fullEvent, w.fullMS)
	r.LastRowAt, _ = p.of(w.lastEvent, w.lastMS)

	// What silence rests on is the latest of these, and it is as sure as that.
	// Where one of them can be anywhere, it may be the latest.
	var latest time.Time
	anywhere := false
	rest := func(at time.Time, sure bool) time.Time {
		if !at.IsZero() && !at.Before(latest) {
			latest, r.Unsure = at, !sure
		}
		return at
	}
	of := func(event, stamp num) (time.Time, bool) {
		anywhere = anywhere || p.ahead(event, stamp)
		return p.of(event, stamp)
	}
	r.EpochAt = rest(of(w.epochEvent, w.epochMS))
	advanced, sureAdvance := of(w.advanceEvent, w.advanceMS)
	r.AdvancedAt = rest(advanced, sureAdvance)
	r.BudgetEnded = rest(of(w.budgetEndEvent, w.budgetEndMS))
	if w.holdEvent.set {
		at, sure := of(w.holdEvent, w.holdMS)
		var sureEnd bool
		r.Hold = cursor.Span{Event: w.holdEvent.n, At: at, Until: at.Add(w.holdForMS.length()), Why: w.holdReason.s}
		if r.Hold.Ended, sureEnd = of(w.holdEndEvent, w.holdEndMS); !r.Hold.Ended.IsZero() {
			rest(r.Hold.Ended, sureEnd)
		} else if now := p.clock.Now(); r.Hold.Until.Before(now) {
			rest(r.Hold.Until, sure)
		}
	}
	if r.Takeovers > 1 && !(sureAdvance && sureStart) {
		r.Unsure = true // of many takeovers silence may count from before them
	}
	for _, b := range budgets {
		at, _ := of(b.event, b.at)
		r.Budgets = append(r.Budgets, cursor.Span{Event: b.event.n, At: at, Until: at.Add(b.limit.length())})
	}
	r.Unsure = r.Unsure || anywhere
	return r
}

// budget is a step that is running with a declared length.
type budget struct{ event, at, limit num }

// sighting is what a look finds of the run: the reading, and what the look has
// to put on record so that another goes on counting from the same instants.
func (w *row) sighting(p places, budgets []budget, read []landmark) Sighting {
	s := Sighting{
		Reading: w.reading(p, budgets),
		Started: w.startMS.stamp(), Advanced: w.advanceMS.stamp(), LastRow: w.lastMS.stamp(),
		policy: w.policy.n, ended: w.live.n == 0, read: read, told: w.told.n == 1,
	}
	if s.Reading.Blind.Reason != "" {
		return s
	}
	s.Memory = w.memory()
	counted := map[int64]bool{}
	count := func(event, stamp num) {
		if !event.set || counted[event.n] {
			return
		}
		counted[event.n] = true
		if _, known := p.landmark(event.n); known {
			return
		}
		at, sure := p.of(event, stamp)
		if !sure {
			at = p.clock.Now() // a fresh window, rather than an accusation
		}
		s.fresh = append(s.fresh, landmark{event.n, cursor.Awake(at)})
	}
	// A run that has ended may be taken over, and its whole length then counts.
	count(w.startEvent, w.startMS)
	if !s.ended {
		count(w.epochEvent, w.epochMS)
		count(w.advanceEvent, w.advanceMS)
		count(w.fullEvent, w.fullMS)
		count(w.holdEvent, w.holdMS)
		count(w.holdEndEvent, w.holdEndMS)
		count(w.budgetEndEvent, w.budgetEndMS)
		for _, b := range budgets {
			count(b.event, b.at)
		}
		if w.riseEvent.set {
			count(w.lastEvent, w.lastMS)
			for _, event := range thin(read, cursor.Awake(p.clock.Now())) {
				counted[event] = true
			}
		}
	}
	if _, placed := p.landmark(w.budgetEndEvent.n); !placed && w.budgetEndEvent != w.advanceEvent {
		s.budgetEnd = w.budgetEndEvent.n
	}
	for _, m := range read {
		if !counted[m.event] || cursor.At(m.awake).After(p.clock.Now()) {
			s.stale = append(s.stale, m.event)
		}
	}
	return s
}
