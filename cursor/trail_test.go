package cursor

import (
	"errors"
	"math"
	"testing"
	"time"
)

// tape is a trail with rows that count themselves; each lies a second after
// the one before.
type tape struct {
	t     *testing.T
	trail *Trail
	id    int64
	now   time.Duration
	epoch int64
}

func newTape(t *testing.T, total Total, process bool) *tape {
	p := &tape{t: t, trail: NewTrail("r1", "f", process), epoch: 1}
	p.row(Event{Kind: RunStarted, Total: total})
	return p
}

func (p *tape) try(e Event) (advance bool, err error) {
	p.id++
	p.now += time.Second
	e.ID, e.AtMS, e.Awake = p.id, p.now.Milliseconds(), At(p.now)
	if e.Epoch == 0 {
		e.Epoch = p.epoch
	}
	return p.trail.Apply(&e)
}

func (p *tape) row(e Event) (advance bool) {
	p.t.Helper()
	advance, err := p.try(e)
	if err != nil {
		p.t.Fatalf("Apply(%s) = %v", e.Kind, err)
	}
	return advance
}

func (p *tape) step(kind string, steps ...int64) {
	p.t.Helper()
	for _, step := range steps {
		p.row(Event{Kind: kind, Step: step})
	}
}

func (p *tape) takeOver() {
	p.t.Helper()
	p.epoch++
	p.row(Event{Kind: RunTakeover})
}

func (p *tape) reading() Reading { return p.trail.Reading(At(p.now), time.Hour) }

func of(n int64) Total { return Total{N: n, Known: true} }

func TestPositionCountsDistinctTerminalSteps(t *testing.T) {
	p := newTape(t, of(10), false)
	p.step(StepDone, 1, 2, 4, 5)
	p.step(StepBegun, 3)
	s := p.trail.Standing()
	if s.Position != 4 || s.Frontier != 2 || s.Rows != 1 || s.AdvanceEvent != 5 {
		t.Errorf("after 1 2 4 5: %+v, want position 4, frontier 2, one row since", s)
	}
	if p.row(Event{Kind: StepDone, Step: 4}) {
		t.Error("a second done of a step is an advance")
	}
	p.step(StepSkipped, 3)
	if s := p.trail.Standing(); s.Position != 5 || s.Frontier != 5 || s.Rows != 0 {
		t.Errorf("after 3 was skipped: %+v, want position 5, frontier 5", s)
	}
}

func TestReworkGivesNoCreditUntilItPasses(t *testing.T) {
	p := newTape(t, of(100), false)
	for step := int64(1); step <= 40; step++ {
		p.step(StepDone, step)
	}
	p.takeOver()
	for step := int64(1); step <= 10; step++ {
		p.step(StepDone, step)
	}
	r := p.reading()
	if r.Position != 40 || r.Rows != 10 || r.EpochMoved {
		t.Errorf("position %d, rows %d, moved %v, want 40, 10, false", r.Position, r.Rows, r.EpochMoved)
	}
	p.step(StepDone, 41)
	if r := p.reading(); r.Position != 41 || r.Rows != 0 || !r.EpochMoved {
		t.Errorf("position %d, rows %d, moved %v, want 41, 0, true", r.Position, r.Rows, r.EpochMoved)
	}
}

func TestOnlyANewMaximumOfAMarkIsAnAdvance(t *testing.T) {
	p := newTape(t, of(3), false)
	p.step(StepBegun, 1)
	for _, c := range []struct {
		amount int64
		want   bool
	}{{10, true}, {10, false}, {5, false}, {11, true}, {0, false}} {
		if got := p.row(Event{Kind: StepMarked, Step: 1, Amount: c.amount, OutOf: 90}); got != c.want {
			t.Errorf("mark %d is an advance: %v, want %v", c.amount, got, c.want)
		}
	}
	if s := p.trail.Standing(); s.Position != 0 || s.Rows != 1 {
		t.Errorf("%+v, want position 0 and one row since the advance", s)
	}
}

func TestAnObservedCursorHasAHighWaterMark(t *testing.T) {
	p := newTape(t, Total{}, false)
	p.row(Event{Kind: Observed, Position: 40, Total: of(100)})
	p.row(Event{Kind: Observed, Position: 10, Total: of(100)})
	r := p.reading()
	if r.Position != 40 || r.Observed != 10 || r.Rows != 1 || r.Bound() != of(100) {
		t.Errorf("%+v, want position 40, observed 10", r)
	}
	// Finishing a step below it is no new maximum.
	if p.row(Event{Kind: StepDone, Step: 1}) {
		t.Error("a done below the observed cursor is an advance")
	}
	p.row(Event{Kind: Observed, Position: 41, Total: of(101)})
	if r := p.reading(); !r.Rising || r.Rows != 0 || r.Remaining() != 60 {
		t.Errorf("%+v, want a total that rose, 60 remaining", r)
	}
	p.row(Event{Kind: Observed, Position: 41, Total: of(30)})
	if r := p.reading(); r.Full() || r.Bound().Known {
		t.Errorf("a total below the position bounds the run: %+v", r.Bound())
	}
}

func TestTheRulesOfTheTrail(t *testing.T) {
	done := Event{Kind: StepDone, Step: 1}
	for _, c := range []struct {
		claim  string
		before []Event
		then   Event
		want   error
	}{
		{"an old epoch is fenced", []Event{{Kind: RunTakeover, Epoch: 2}}, Event{Kind: StepDone, Step: 1, Epoch: 1}, ErrFenced},
		{"holds are fenced too", []Event{{Kind: RunTakeover, Epoch: 2}}, Event{Kind: Held, ForMS: 1000, Epoch: 1}, ErrFenced},
		{"finishes are fenced too", []Event{{Kind: RunTakeover, Epoch: 2}}, Event{Kind: RunExited, Epoch: 1}, ErrFenced},
		{"an epoch that was not given", nil, Event{Kind: StepDone, Step: 1, Epoch: 2}, ErrFenced},
		{"a takeover raises the epoch by one", nil, Event{Kind: RunTakeover, Epoch: 3}, ErrTakeover},
		{"a step beyond a closed total", nil, Event{Kind: StepBegun, Step: 4}, ErrBeyondTotal},
		{"steps count from 1", nil, Event{Kind: StepDone}, ErrStepNumber},
		{"a terminal step is not begun again", []Event{done}, Event{Kind: StepBegun, Step: 1}, ErrTerminal},
		{"nor does it fail", []Event{done}, Event{Kind: StepFailed, Step: 1}, ErrTerminal},
		{"nor is it marked", []Event{done}, Event{Kind: StepMarked, Step: 1, Amount: 1, OutOf: 2}, ErrTerminal},
		{"a mark beyond its of", nil, Event{Kind: StepMarked, Step: 1, Amount: 3, OutOf: 2}, ErrMarkBounds},
		{"a mark of another of", []Event{{Kind: StepMarked, Step: 1, Amount: 1, OutOf: 2}}, Event{Kind: StepMarked, Step: 1, Amount: 1, OutOf: 3}, ErrMarkOf},
		{"a total below the position", []Event{done, {Kind: StepDone, Step: 2}}, Event{Kind: RunTotal, Total: of(1)}, ErrTotalBelow},
		{"a total below a finished step", []Event{{Kind: StepDone, Step: 3}}, Event{Kind: RunTotal, Total: of(2)}, ErrTotalBelowStep},
		{"a hold without a limit", nil, Event{Kind: Held}, ErrHoldLimit},
		{"an epoch ends once", []Event{{Kind: RunExited}}, Event{Kind: RunExited}, ErrEndedTwice},
		{"a cancelled run takes no more steps", []Event{{Kind: RunCancelled}}, done, ErrCancelled},
		{"nor a takeover", []Event{{Kind: RunCancelled}}, Event{Kind: RunTakeover, Epoch: 2}, ErrCancelled},
		{"a run starts once", nil, Event{Kind: RunStarted}, ErrStartedTwice},
		{"a monitor flips no step", nil, Event{Kind: StepDone, Step: 1, Source: "monitor"}, ErrMonitorMoves},
		{"a monitor declares no hold", nil, Event{Kind: Held, ForMS: 1, Source: "monitor"}, ErrMonitorMoves},
	} {
		t.Run(c.claim, func(t *testing.T) {
			p := newTape(t, of(3), true)
			for _, e := range c.before {
				p.epoch = max(p.epoch, e.Epoch)
				p.row(e)
			}
			before := p.trail.Standing()
			if _, err := p.try(c.then); !errors.Is(err, c.want) {
				t.Errorf("Apply(%s) = %v, want %v", c.then.Kind, err, c.want)
			}
			if after := p.trail.Standing(); after != before {
				t.Errorf("a refused row moved the cursor\n from %+v\n   to %+v", before, after)
			}
		})
	}
	p := &tape{t: t, trail: NewTrail("r1", "f", false), epoch: 1}
	if _, err := p.try(done); !errors.Is(err, ErrNoSuchRun) {
		t.Errorf("a step before the start: %v, want %v", err, ErrNoSuchRun)
	}
}

func TestWhatAMonitorWritesMovesNothing(t *testing.T) {
	p := newTape(t, of(3), true)
	p.step(StepDone, 1)
	before := p.trail.Standing()
	for _, kind := range []string{"signal.stalled", "pinged", "note", "evidence"} {
		p.row(Event{Kind: kind, Source: "monitor"})
	}
	if after := p.trail.Standing(); after != before {
		t.Errorf("moved from %+v to %+v", before, after)
	}
	p.row(Event{Kind: RunStopped, Source: "monitor"})
	if r := p.reading(); r.Presence != Stopped {
		t.Errorf("presence %q, want stopped", r.Presence)
	}
	p.step(StepDone, 2)
	if r := p.reading(); r.Presence != Alive {
		t.Errorf("presence %q after a row of work, want alive", r.Presence)
	}
}

func TestHoldsAreSpent(t *testing.T) {
	p := newTape(t, of(9), false)
	p.row(Event{Kind: Held, ForMS: 10_000, Reason: "one"})
	p.now += 4 * time.Second
	p.row(Event{Kind: Held, ForMS: 2_000, Reason: "two"})
	r := p.reading()
	if r.Spent != 5*time.Second || r.Hold.Why != "two" || !r.Hold.Ended.IsZero() {
		t.Errorf("spent %v, hold %+v, want 5s by the first, the second in force", r.Spent, r.Hold)
	}
	p.now += time.Minute
	p.row(Event{Kind: Resumed})
	r = p.reading()
	if r.Spent != 7*time.Second || r.Hold.Ended.IsZero() || p.trail.Standing().SpentMS != 7000 {
		t.Errorf("spent %v, hold %+v, want 2s more: no hold is longer than its limit", r.Spent, r.Hold)
	}
	p.row(Event{Kind: Held, ForMS: 60_000})
	p.now += time.Second
	p.takeOver()
	if r := p.reading(); r.Spent != 9*time.Second || r.Hold.Ended.IsZero() {
		t.Errorf("spent %v, hold %+v: a takeover ends a hold", r.Spent, r.Hold)
	}
}

func TestBudgets(t *testing.T) {
	p := newTape(t, of(9), false)
	p.row(Event{Kind: StepBegun, Step: 1, ForMS: 10_000})
	from := At(p.now)
	p.now += 3 * time.Second
	p.row(Event{Kind: StepBegun, Step: 1, ForMS: 10_000})
	if b := p.reading().Budgets; len(b) != 1 || b[0].At != from || b[0].Until != from.Add(10*time.Second) {
		t.Errorf("budgets %+v: beginning again renews nothing", b)
	}
	for _, ms := range []int64{0, 20_000, 0, 10_000} {
		p.now += time.Second
		p.row(Event{Kind: StepBegun, Step: 1, ForMS: ms})
		if b := p.reading().Budgets; len(b) != 1 || b[0].At != from || b[0].Until != from.Add(10*time.Second) {
			t.Errorf("budgets %+v after a begin with %d ms: nor does one that declares another or none", b, ms)
		}
	}
	p.now += time.Minute
	p.step(StepFailed, 1)
	r := p.reading()
	if len(r.Budgets) != 0 || r.BudgetEnded != from.Add(10*time.Second) || r.Spent != 10*time.Second {
		t.Errorf("budget ended %v, spent %v: it ended at its own limit", r.BudgetEnded.Sub(from), r.Spent)
	}
	p.row(Event{Kind: StepBegun, Step: 1, ForMS: 10_000})
	p.now += time.Second
	p.step(StepDone, 1)
	if r := p.reading(); len(r.Budgets) != 0 || r.Spent != 10*time.Second || p.trail.Standing().SpentMS != 10_000 {
		t.Errorf("spent %v: an advance answers a budget", r.Spent)
	}
	p.row(Event{Kind: StepBegun, Step: 2, ForMS: 10_000})
	p.now += time.Second
	p.row(Event{Kind: StepMarked, Step: 2, Amount: 1, OutOf: 9})
	p.row(Event{Kind: StepBegun, Step: 2, ForMS: 10_000})
	if b := p.reading().Budgets; len(b) != 1 || b[0].At != At(p.now) {
		t.Errorf("budgets %+v: after an advance one may be declared anew", b)
	}
	p.now += time.Second
	p.takeOver()
	if r := p.reading(); len(r.Budgets) != 0 || r.Spent != 12*time.Second {
		t.Errorf("budgets %+v, spent %v: a takeover ends them", r.Budgets, r.Spent)
	}
}

func TestTheEndOfARun(t *testing.T) {
	p := newTape(t, of(2), true)
	p.trail.Vanished(At(p.now))
	p.row(Event{Kind: RunExited, Code: 3, Who: "worker"})
	r, s := p.reading(), p.trail.Standing()
	if !r.Exit.Known || r.Exit.Code != 3 || r.Presence != Gone || s.Live {
		t.Errorf("%+v, live %v", r.Exit, s.Live)
	}
	p.takeOver()
	if r, s := p.reading(), p.trail.Standing(); r.Exit.Known || r.Presence != Alive || !r.GoneSince.IsZero() || !s.Live {
		t.Errorf("a new epoch has another's end: %+v, %q", r.Exit, r.Presence)
	}
	p.row(Event{Kind: RunCancelled, Who: "ann"})
	if r, s := p.reading(), p.trail.Standing(); !r.Cancelled || s.Live {
		t.Errorf("cancelled %v, live %v", r.Cancelled, s.Live)
	}
}

func TestFullIsWhereThePositionMeetsTheBound(t *testing.T) {
	p := newTape(t, of(2), false)
	p.step(StepDone, 1, 2)
	full := p.trail.Standing()
	if full.FullEvent != 3 || full.Live || p.reading().FullAt != At(3*time.Second) {
		t.Errorf("%+v, want full at event 3 and over", full)
	}
	p.row(Event{Kind: RunTotal, Total: of(3)})
	if s := p.trail.Standing(); s.FullEvent != 0 || !s.Live || s.RiseEvent != 4 {
		t.Errorf("%+v, want it open again, the total risen", s)
	}
	p.row(Event{Kind: RunTotal, Total: of(2)})
	if s := p.trail.Standing(); s.FullEvent != 5 || s.Live {
		t.Errorf("%+v, want it full at event 5", s)
	}
}

func TestSamplesReachBackOverTheWindow(t *testing.T) {
	p := newTape(t, of(9), false)
	for i := int64(1); i <= 300; i++ {
		p.row(Event{Kind: RunTotal, Total: of(9 + i)})
		p.step(StepDone, i)
	}
	got := p.trail.Reading(At(p.now), 10*time.Second).Samples
	if got[0].At.After(At(p.now - 10*time.Second)) {
		t.Errorf("the oldest sample is %v old, want one at or before the older edge", At(p.now).Sub(got[0].At))
	}
	if n := len(got); n > 64+20 {
		t.Errorf("%d samples are kept for a window of 20 rows", n)
	}
	if last := got[len(got)-1]; last.Position != 300 || last.Total != 309 {
		t.Errorf("the newest sample is %+v", last)
	}
}

func TestOneStepFarOutCostsAPage(t *testing.T) {
	p := newTape(t, Total{Open: true}, false)
	p.step(StepDone, 1<<50, 1<<50+1, 1, 2)
	if s := p.trail.Standing(); s.Position != 4 || s.Frontier != 2 {
		t.Errorf("%+v, want position 4, frontier 2", s)
	}
	if n := len(p.trail.terminal.page); n != 2 {
		t.Errorf("%d pages, want 2", n)
	}
}

// Whatever number a stamp or a length is, what was spent is between nothing and
// the length.
func TestTimesBeyondAllReasonAreCounted(t *testing.T) {
	for _, c := range []struct{ from, to, length, want int64 }{
		{math.MinInt64, math.MaxInt64, 1000, 1000},
		{math.MaxInt64, math.MinInt64, 1000, 0},
		{-10, math.MaxInt64, 1000, 1000},
		{0, 400, 1000, 400},
		{0, 400, math.MaxInt64, 400},
	} {
		p := newTape(t, of(9), false)
		for i, e := range []Event{{Kind: Held, ForMS: c.length, AtMS: c.from}, {Kind: Resumed, AtMS: c.to}} {
			e.ID, e.Epoch = p.id+1+int64(i), 1
			if _, err := p.trail.Apply(&e); err != nil {
				t.Fatal(err)
			}
		}
		if r, s := p.reading(), p.trail.Standing(); s.SpentMS != c.want || r.Hold.Until.Before(r.Hold.At) {
			t.Errorf("a hold of %d from %d to %d spent %d, until %v, want %d", c.length, c.from, c.to, s.SpentMS, r.Hold.Until, c.want)
		}
	}
}
