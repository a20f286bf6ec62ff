package cursor

import "time"

// event folds what is neither of a step nor the opening of an epoch.
func (t *Trail) event(e *Event) (advance bool, err error) {
	if t.s.Cancelled() {
		switch e.Kind {
		case RunTotal, Observed, Held, Resumed, RunCancelled:
			return false, ErrCancelled
		}
	}
	switch e.Kind {
	case RunTotal:
		err = t.total(e)
	case Observed:
		advance, err = t.observe(e)
	case Held:
		if e.ForMS <= 0 {
			return false, ErrHoldLimit
		}
		t.endHold(e)
		t.s.HoldEvent, t.s.HoldForMS, t.s.HoldEndEvent = e.ID, e.ForMS, 0
		t.holdAtMS = e.AtMS
		t.hold = Span{Event: e.ID, At: e.Awake, Until: e.Awake.Add(millis(e.ForMS)), Why: e.Reason}
	case Resumed:
		t.endHold(e)
	case RunExited:
		if t.s.ExitEvent != 0 || t.s.Cancelled() {
			return false, ErrEndedTwice
		}
		t.s.ExitEvent, t.s.ExitCode, t.s.ExitSignal = e.ID, e.Code, e.Signal
		t.s.ExitReason, t.s.AskedBy = e.Reason, e.Who
	case RunCancelled:
		t.s.CancelEvent, t.s.AskedBy = e.ID, e.Who
	default:
		t.process(e)
	}
	if err != nil {
		return false, err
	}
	t.seen(e)
	t.bounded(e)
	return advance, nil
}

// process notes what a row says of the process.
func (t *Trail) process(e *Event) {
	switch e.Kind {
	case RunStopped:
		t.presence = Stopped
	case RunContinued:
		t.presence = Alive
	}
}

// Vanished notes that the process was seen gone, without a record, at an
// instant of the awake clock. A row that a worker writes later takes it back:
// somebody lives.
func (t *Trail) Vanished(at time.Time) {
	if t.presence != Gone {
		t.presence, t.goneSince = Gone, at
	}
}

// worked takes back what a row of work contradicts: who is gone or stopped
// writes none.
func (t *Trail) worked() {
	if t.presence == Gone || t.presence == Stopped {
		t.presence, t.goneSince = Alive, time.Time{}
	}
}

func (t *Trail) total(e *Event) error {
	switch {
	case e.Total.N < 0:
		return ErrNegative
	case e.Total.Known && e.Total.N < t.s.Position:
		return ErrTotalBelow
	case e.Total.Known && !e.Total.Open && e.Total.N < t.highest:
		return ErrTotalBelowStep
	}
	if e.Total.Known && t.s.Total.Known && e.Total.N > t.s.Total.N {
		t.s.RiseEvent = e.ID
	}
	t.s.Total = e.Total
	t.s.Rows++
	return nil
}

func (t *Trail) observe(e *Event) (advance bool, err error) {
	if e.Position < 0 || e.Total.N < 0 {
		return false, ErrNegative
	}
	t.worked()
	if e.Total.Known {
		if t.s.HasObservedTotal && e.Total.N > t.s.ObservedTotal {
			t.s.RiseEvent = e.ID
		}
		t.s.TotalHigh = max(t.s.TotalHigh, e.Total.N)
		t.s.HasObservedTotal, t.s.ObservedTotal = true, e.Total.N
	}
	t.s.HasObserved, t.s.Observed = true, e.Position
	if e.Position <= t.s.Position {
		t.s.Rows++
		return false, nil
	}
	t.s.Position = e.Position
	t.advance(e)
	return true, nil
}

// advance is a new maximum, of the position or of a mark.
func (t *Trail) advance(e *Event) {
	t.s.AdvanceEvent, t.s.AdvanceEpoch, t.advancedAt = e.ID, e.Epoch, e.Awake
	t.s.Rows, t.s.Failed = 0, 0
}

// endHold ends the hold that stands, if any, and charges what it used.
func (t *Trail) endHold(e *Event) {
	if t.s.HoldEvent == 0 || t.s.HoldEndEvent != 0 {
		return
	}
	t.s.SpentMS += min(t.s.HoldForMS, between(t.holdAtMS, e.AtMS))
	t.spent += max(0, earlier(t.hold.Until, e.Awake).Sub(t.hold.At))
	t.s.HoldEndEvent, t.hold.Ended = e.ID, e.Awake
}

// bounded keeps what follows from the position and the bound together.
func (t *Trail) bounded(e *Event) {
	full := t.s.Total.Known && t.s.Position >= t.s.Total.N
	switch {
	case !full:
		t.s.FullEvent, t.fullAt = 0, time.Time{}
	case t.s.FullEvent == 0:
		t.s.FullEvent, t.fullAt = e.ID, e.Awake
	}
	t.s.Live = !t.s.Cancelled() && t.s.ExitEvent == 0 && (t.s.Process || t.s.Total.Open || !full)
	t.sample(e.Awake)
}
