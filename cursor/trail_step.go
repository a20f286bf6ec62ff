package cursor

import "time"

// step folds a row of a step.
func (t *Trail) step(e *Event) (advance bool, err error) {
	switch {
	case e.Step < 1:
		return false, ErrStepNumber
	case t.s.Cancelled():
		return false, ErrCancelled
	case t.s.Total.Known && !t.s.Total.Open && e.Step > t.s.Total.N:
		return false, ErrBeyondTotal
	}
	finished := t.terminal.has(e.Step)
	switch {
	case e.Kind == StepMarked:
		advance, err = t.mark(e, finished)
	case Terminal(e.Kind):
		advance = t.finish(e, finished)
	case finished:
		err = ErrTerminal
	case e.Kind == StepBegun:
		t.begin(e)
	}
	if err != nil {
		return false, err
	}
	t.worked()
	if e.Kind != StepBegun && e.Kind != StepMarked {
		t.endBudget(e, advance)
	}
	switch {
	case advance:
		t.advance(e)
	default:
		t.s.Rows++
		if e.Kind == StepFailed {
			t.s.Failed++
		}
	}
	t.seen(e)
	t.bounded(e)
	return advance, nil
}

// finish makes a step terminal, once. A second done of it is a row without an
// advance; and while an observed cursor stands ahead of the steps, finishing
// one is no new maximum.
func (t *Trail) finish(e *Event, finished bool) (advance bool) {
	if finished {
		return false
	}
	delete(t.marks, e.Step)
	t.terminal.add(e.Step)
	t.highest = max(t.highest, e.Step)
	t.s.Terminal++
	for t.terminal.has(t.s.Frontier + 1) {
		t.s.Frontier++
	}
	if t.s.Terminal <= t.s.Position {
		return false
	}
	t.s.Position = t.s.Terminal
	return true
}

func (t *Trail) mark(e *Event, finished bool) (advance bool, err error) {
	m := t.marks[e.Step]
	switch {
	case finished:
		return false, ErrTerminal
	case e.OutOf < 1 || e.Amount < 0 || e.Amount > e.OutOf:
		return false, ErrMarkBounds
	case m.of != 0 && m.of != e.OutOf:
		return false, ErrMarkOf
	}
	if t.marks == nil {
		t.marks = map[int64]mark{}
	}
	advance = e.Amount > m.high
	t.marks[e.Step] = mark{max(m.high, e.Amount), e.OutOf}
	return advance, nil
}

// begin notes a budget. It is counted from where it was declared: to begin
// again without an advance neither renews nor ends it, or rows that are no
// advance would put off a verdict.
func (t *Trail) begin(e *Event) {
	b, has := t.budgets[e.Step]
	if e.ForMS <= 0 || has && b.event > t.s.AdvanceEvent {
		return
	}
	if t.budgets == nil {
		t.budgets = map[int64]budget{}
	}
	t.budgets[e.Step] = budget{event: e.ID, atMS: e.AtMS, forMS: e.ForMS, at: e.Awake}
}

// endBudget ends the budget of the step of e, if it runs with one. An advance
// answers a budget, which then costs nothing of hold_cap.
func (t *Trail) endBudget(e *Event, advance bool) {
	b, has := t.budgets[e.Step]
	if !has {
		return
	}
	t.s.BudgetEndEvent = e.ID
	t.budgetEndMS = min(e.AtMS, b.atMS+min(b.forMS, between(b.atMS, e.AtMS)))
	spent := t.spent
	t.closeBudget(e.Step, b, e.Awake)
	if advance {
		t.spent = spent
	} else {
		t.s.SpentMS += min(b.forMS, between(b.atMS, e.AtMS))
	}
}

// closeBudget takes the budget away. It has protected until now, or until its
// own limit where that came first: a row that is no advance does not lengthen it.
func (t *Trail) closeBudget(step int64, b budget, now time.Time) {
	end := earlier(b.at.Add(millis(b.forMS)), now)
	if end.After(t.budgetEnded) {
		t.budgetEnded = end
	}
	t.spent += max(0, end.Sub(b.at))
	delete(t.budgets, step)
}
