package cursor

import (
	"math"
	"strings"
	"time"
)

// Trail is one run, folded from its rows: what the triggers of the database
// keep in the table cursor, worked out again from the log alone. It takes
// memory for the terminal steps (a bit each) and for the steps that are marked
// or running with a budget. The zero value is no trail: see NewTrail.
type Trail struct {
	run, family string
	s           Standing
	started     bool

	terminal pages // which steps are terminal
	highest  int64 // the highest of them
	marks    map[int64]mark
	budgets  map[int64]budget

	hold     Span // on the awake clock, with holdMS as its length
	holdAtMS int64
	spent    time.Duration

	startedAt, epochAt, advancedAt, fullAt, lastAt time.Time

	budgetEnded time.Time
	budgetEndMS int64
	samples     samples

	presence  Presence
	goneSince time.Time
}

// mark is the high-water mark of a step, out of what its first mark fixed.
type mark struct{ high, of int64 }

// budget is a step that runs with a declared length.
type budget struct {
	event, atMS, forMS int64
	at                 time.Time
}

// NewTrail is a run of which no row was read yet. process says whether it is
// said to have a process.
func NewTrail(run, family string, process bool) *Trail {
	t := &Trail{run: run, family: family}
	t.s.Process = process
	if process {
		t.presence = Alive
	}
	return t
}

// Apply folds one row, the rows in the order of their ids. It reports whether
// the row is an advance, and one of the errors above when the rules of the
// trail refuse it: nothing has changed then.
func (t *Trail) Apply(e *Event) (advance bool, err error) {
	step := strings.HasPrefix(e.Kind, "step.")
	if e.Source == "monitor" {
		if step || movesACursor(e.Kind) {
			return false, ErrMonitorMoves
		}
		t.process(e)
		return false, nil
	}
	switch {
	case strings.HasPrefix(e.Kind, "signal."):
		return false, nil
	case e.Kind == Refused:
		// Written from whatever epoch was refused.
		if !t.started {
			return false, ErrNoSuchRun
		}
		t.s.Refused++
		t.seen(e)
		return false, nil
	case e.Kind == RunStarted:
		return false, t.start(e)
	case !t.started:
		return false, ErrNoSuchRun
	case e.Kind == RunTakeover:
		return false, t.takeOver(e)
	case e.Epoch != t.s.Epoch:
		return false, ErrFenced
	case step:
		return t.step(e)
	}
	return t.event(e)
}

// BudgetEndMS is when the last budget that a step's row has ended was over, by
// the stamps of the rows: not later than its own limit. It is 0 before.
func (t *Trail) BudgetEndMS() int64 { return t.budgetEndMS }

func movesACursor(kind string) bool {
	switch kind {
	case RunStarted, RunTotal, RunTakeover, RunExited, RunCancelled, Observed, Held, Resumed:
		return true
	}
	return false
}

func (t *Trail) seen(e *Event) {
	t.s.LastEvent, t.s.LastMS, t.lastAt = e.ID, e.AtMS, e.Awake
}

func (t *Trail) start(e *Event) error {
	switch {
	case t.started:
		return ErrStartedTwice
	case e.Total.N < 0:
		return ErrNegative
	}
	t.started = true
	t.s.Epoch = max(e.Epoch, 1)
	t.s.StartEvent, t.s.EpochEvent, t.s.Total = e.ID, e.ID, e.Total
	t.startedAt, t.epochAt = e.Awake, e.Awake
	t.seen(e)
	t.bounded(e)
	return nil
}

func (t *Trail) takeOver(e *Event) error {
	switch {
	case t.s.Cancelled():
		return ErrCancelled
	case e.Epoch != t.s.Epoch+1:
		return ErrTakeover
	}
	t.endHold(e)
	for step, b := range t.budgets {
		t.closeBudget(step, b, e.Awake)
	}
	t.s.Epoch, t.s.EpochEvent, t.epochAt = e.Epoch, e.ID, e.Awake
	t.s.ExitEvent, t.s.ExitCode, t.s.ExitSignal, t.s.ExitReason, t.s.AskedBy = 0, 0, 0, "", ""
	t.goneSince = time.Time{}
	t.presence = NoProcess
	if t.s.Process {
		t.presence = Alive
	}
	t.seen(e)
	t.bounded(e)
	return nil
}

// Longest is the longest length of time that is told from a longer one, 100
// years of 365.25 days: what the trail takes. A tape, or a row past the CHECKs,
// may hold any number.
const Longest = 36525 * 24 * time.Hour

func millis(ms int64) time.Duration {
	return time.Duration(min(max(ms, -Longest.Milliseconds()), Longest.Milliseconds())) * time.Millisecond
}

// between is b − a of two stamps, which may be any numbers, and no less than 0.
func between(a, b int64) int64 {
	if b <= a {
		return 0
	}
	if d := b - a; d > 0 {
		return d
	}
	return math.MaxInt64
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
