package policy

import (
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
)

// at is an instant of the awake clock, so long after the run's start.
func at(d time.Duration) time.Time { return cursor.At(24*time.Hour + d) }

const (
	minute = time.Minute
	hour   = time.Hour
)

// quietSince is a run with a process at 7 of 20 that has advanced last at an
// instant, with nothing since.
func quietSince(d time.Duration) cursor.Reading {
	return cursor.Reading{
		Run: "r1", Family: "f", Epoch: 1,
		Total: cursor.Total{N: 20, Known: true}, Position: 7, Frontier: 7,
		StartEvent: 1, StartedAt: at(0), EpochEvent: 1, EpochAt: at(0),
		AdvanceEvent: 15, AdvancedAt: at(d), EpochMoved: true, LastEvent: 15, LastRowAt: at(d),
		Process: true, Presence: cursor.Alive,
	}
}

// unstarted is a run with a process that has not advanced in its epoch.
func unstarted() cursor.Reading {
	r := quietSince(0)
	r.Position, r.Frontier, r.AdvanceEvent, r.AdvancedAt, r.EpochMoved = 0, 0, 0, time.Time{}, false
	r.LastEvent = 1
	return r
}

func with(r cursor.Reading, change func(*cursor.Reading)) cursor.Reading {
	change(&r)
	return r
}

func exited(e cursor.Exit) cursor.Reading {
	return with(quietSince(hour), func(r *cursor.Reading) {
		e.Known = true
		r.Exit = e
	})
}

func full(change func(*cursor.Reading)) cursor.Reading {
	return with(quietSince(hour), func(r *cursor.Reading) {
		r.Position, r.Frontier, r.FullAt = 20, 20, at(hour)
		change(r)
	})
}

// relay is a run that n workers have taken over since its advance at 1m, the
// last one of them at last.
func relay(n int64, last time.Duration) cursor.Reading {
	return with(quietSince(time.Minute), func(r *cursor.Reading) {
		r.Epoch, r.EpochEvent, r.EpochAt, r.EpochMoved, r.Takeovers = 1+n, 16+n, at(last), false, n
	})
}

func TestTheLadder(t *testing.T) {
	ceiling := Default()
	ceiling.MaxRuntime = 2 * hour
	for _, c := range []struct {
		claim  string
		policy Policy
		r      cursor.Reading
		now    time.Duration
		want   string
	}{
		// 1 to 3: how it ended.
		{"a person's word is above all", Default(), with(exited(cursor.Exit{Code: 3}), func(r *cursor.Reading) { r.Cancelled = true }), hour, "cancelled"},
		{"an exit code is a failure", Default(), exited(cursor.Exit{Code: 3}), hour, "failed: exit 3"},
		{"a signal is a failure", Default(), exited(cursor.Exit{Signal: 9}), hour, "failed: signal 9"},
		{"a wanted signal is no failure", Default(), exited(cursor.Exit{Signal: 15, AskedBy: "user"}), hour, "cancelled"},
		{"a signal of the supervisor is a failure", Default(), exited(cursor.Exit{Signal: 15, AskedBy: "supervisor"}), hour, "failed: signal 15"},
		{"a command that did not start", Default(), exited(cursor.Exit{Reason: "spawn"}), hour, "failed: spawn"},
		{"a record that cannot be read", Default(), exited(cursor.Exit{Reason: "malformed"}), hour, "failed: malformed"},
		{"exit 0 with steps left is short", Default(), exited(cursor.Exit{}), hour, "failed: short"},
		{"exit 0 with an open total and steps left is short", Default(), with(exited(cursor.Exit{}), func(r *cursor.Reading) { r.Total.Open = true }), hour, "failed: short"},
		{"exit 0 without a total is done", Default(), with(exited(cursor.Exit{}), func(r *cursor.Reading) { r.Total = cursor.Total{} }), hour, "done"},
		{"exit 0 with an observed total and steps left is short", Default(), with(exited(cursor.Exit{}), func(r *cursor.Reading) {
			r.Total, r.HasObservedTotal, r.ObservedTotal = cursor.Total{}, true, 20
		}), hour, "failed: short"},
		{"exit 0 with everything done", Default(), full(func(r *cursor.Reading) { r.Exit.Known = true }), hour, "done"},
		{"exit 1 with everything done is a failure", Default(), full(func(r *cursor.Reading) { r.Exit = cursor.Exit{Known: true, Code: 1} }), hour, "failed: exit 1"},
		{"a process that is gone, within the grace", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Presence, r.GoneSince = cursor.Gone, at(hour) }), hour + 2*time.Second, "advancing"},
		{"a process that is gone, after the grace", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Presence, r.GoneSince = cursor.Gone, at(hour) }), hour + 3*time.Second, "failed: vanished"},
		{"a process that nobody can see is not gone", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Presence = cursor.Unknown }), hour, "advancing"},
		{"a process gone at full position failed all the same", Default(), full(func(r *cursor.Reading) { r.Presence, r.GoneSince = cursor.Gone, at(hour) }), hour + minute, "failed: vanished"},
		{"an exit record decides over a process that is gone", Default(), with(exited(cursor.Exit{Code: 2}), func(r *cursor.Reading) { r.Presence, r.GoneSince = cursor.Gone, at(0) }), hour, "failed: exit 2"},
		{"without a process full is done", Default(), full(func(r *cursor.Reading) { r.Process, r.Presence = false, cursor.NoProcess }), hour, "done"},
		{"without a process and open full is not done", Default(), full(func(r *cursor.Reading) {
			r.Process, r.Presence, r.Total.Open = false, cursor.NoProcess, true
		}), hour, "advancing"},
		{"a total of nothing is done at once", Default(), with(unstarted(), func(r *cursor.Reading) { r.Process, r.Total.N, r.FullAt = false, 0, at(0) }), 0, "done"},

		// 4: what cannot be read, and what is known nevertheless.
		{"blind outranks silence", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Blind.Reason = "replaced" }), 9 * hour, "blind: replaced"},
		{"an end already known stays known", Default(), with(exited(cursor.Exit{Code: 3}), func(r *cursor.Reading) { r.Blind.Reason = "missing" }), hour, "failed: exit 3"},
		{"a run that is not there", Default(), cursor.Reading{Run: "nope", Blind: cursor.Blindness{Reason: "no-trail"}}, 0, "blind: no-trail"},

		// 5: a ceiling.
		{"just under the ceiling", ceiling, quietSince(2*hour - minute), 2*hour - 1, "advancing"},
		{"at the ceiling, though it moves", ceiling, quietSince(2*hour - minute), 2 * hour, "timeout: max_runtime"},
		{"an exit record that comes later still decides", ceiling, full(func(r *cursor.Reading) { r.Exit.Known = true }), 9 * hour, "done"},
		{"a start that nobody is sure of", ceiling, with(quietSince(2*hour-minute), func(r *cursor.Reading) { r.UnsureStart = true }), 2 * hour, "advancing"},
		{"the ceiling is above a hold", ceiling, with(quietSince(hour), func(r *cursor.Reading) {
			r.Hold = cursor.Span{Event: 16, At: at(hour), Until: at(3 * hour)}
		}), 2 * hour, "timeout: max_runtime"},

		// 7: finished, and still there.
		{"finished, about to exit", Default(), full(func(*cursor.Reading) {}), hour + 5*minute - 1, "advancing"},
		{"finished, and not exited", Default(), full(func(*cursor.Reading) {}), hour + 5*minute, "degraded: unexited"},
		{"at full position nobody is silent", Default(), full(func(r *cursor.Reading) { r.Rows, r.Failed = 50, 50 }), 9 * hour, "degraded: unexited"},
		{"full and open may be silent", Default(), full(func(r *cursor.Reading) { r.Total.Open = true }), 9 * hour, "stalled: quiet"},

		// 8: starting.
		{"starting", Default(), unstarted(), 15*minute - 1, "starting"},
		{"starting holds off failed attempts", Default(), with(unstarted(), func(r *cursor.Reading) { r.Rows, r.Failed = 99, 99 }), 15*minute - 1, "starting"},
		{"the grace is at least an idle window", func() Policy { p := Default(); p.StartWithin = minute; return p }(), unstarted(), 5*minute - 1, "starting"},
		{"never started", Default(), unstarted(), 15 * minute, "stalled: never-started"},
		{"never started, and busy", Default(), with(unstarted(), func(r *cursor.Reading) { r.Rows = 3 }), 15 * minute, "stuck: looping"},
		{"never started, early", func() Policy { p := Default(); p.StartWithin = minute; return p }(), unstarted(), 5 * minute, "degraded: never-started"},
		{"a new epoch has a grace of its own", Default(), with(quietSince(minute), func(r *cursor.Reading) {
			r.Epoch, r.EpochEvent, r.EpochAt, r.EpochMoved = 2, 16, at(hour), false
		}), hour + 15*minute - 1, "starting"},
		{"and never starts", Default(), with(quietSince(minute), func(r *cursor.Reading) {
			r.Epoch, r.EpochEvent, r.EpochAt, r.EpochMoved = 2, 16, at(hour), false
		}), hour + 15*minute, "stalled: never-started"},
		{"also where nobody else was there for long", Default(), relay(1, 9*hour), 9*hour + minute, "starting"},
		{"so has the fourth in a row", Default(), relay(4, 4*hour), 4*hour + minute, "starting"},
		{"not when no single worker could be silent for so long", Default(), relay(2, 9*hour), 9*hour + minute, "stuck: looping"},
		{"who takes over a stalled run does not end the episode", Default(), with(relay(1, hour), func(r *cursor.Reading) { r.Carried = true }),
			hour, "stalled: never-started"},
		{"nor by waiting for its grace", Default(), with(relay(1, hour), func(r *cursor.Reading) { r.Carried = true }),
			hour + 14*minute, "stalled: never-started"},
		{"a stuck run stays stuck", Default(), with(relay(1, hour), func(r *cursor.Reading) { r.Carried, r.Rows = true, 3 }), hour, "stuck: looping"},
		{"the fifth in a row is one of a loop", Default(), relay(5, 9*hour), 9*hour + minute, "stuck: looping"},
		{"early on, out of rotation", Default(), relay(5, 2*minute), 3 * minute, "degraded: looping"},

		// 9 to 12: silence.
		{"moving", Default(), quietSince(hour), hour + 5*minute - 1, "advancing"},
		{"quiet for a while", Default(), quietSince(hour), hour + 5*minute, "degraded: quiet"},
		{"quiet", Default(), quietSince(hour), hour + 15*minute, "stalled: quiet"},
		{"stopped", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Presence = cursor.Stopped }), hour + 15*minute, "stalled: stopped"},
		{"one row after an advance is not busy", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows = 2 }), hour + 15*minute, "stalled: quiet"},
		{"rows make it stuck", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows = 3 }), hour + 15*minute, "stuck: looping"},
		{"one last log line is not busy", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Growth = 2 }), hour + 15*minute, "stalled: quiet"},
		{"a growing log makes it stuck", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Growth = 3 }), hour + 15*minute, "stuck: looping"},
		{"a growing log is no advance", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Growth = 300 }), hour + 5*minute, "degraded: looping"},
		{"busy for a while", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows = 3 }), hour + 5*minute, "degraded: looping"},
		{"failed attempts make it stuck early", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows, r.Failed = 5, 5 }), hour + 5*minute, "stuck: looping"},
		{"failed attempts degrade at once", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows, r.Failed = 5, 5 }), hour, "degraded: looping"},
		{"a few failed attempts do not", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Rows, r.Failed = 4, 4 }), hour, "advancing"},
		{"an unsure silence never condemns", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Unsure = true }), 9 * hour, "degraded: quiet"},
		{"an unsure loop never condemns", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Unsure, r.Rows = true, 9 }), 9 * hour, "degraded: looping"},

		{"an observed cursor that fell back", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.HasObserved, r.Observed = true, 6 }), hour, "degraded: regressed"},
		{"an observed cursor that stands", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.HasObserved, r.Observed = true, 7 }), hour, "advancing"},
		{"an observed total below the position", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.HasObservedTotal, r.ObservedTotal = true, 6 }), hour, "degraded: regressed"},
		{"failed attempts come before a fall", Default(), with(quietSince(hour), func(r *cursor.Reading) { r.Failed, r.HasObserved = 5, true }), hour, "degraded: looping"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			if got := c.policy.Judge(c.r, at(c.now)); got.Says() != c.want {
				t.Errorf("Judge(%d/%d, silent %v) = %s (%s), want %s", c.r.Position, c.r.Total.N, got.Silence, got.Says(), got.Detail, c.want)
			}
		})
	}
}

func TestHoldsAndBudgets(t *testing.T) {
	hold := func(from, until time.Duration) cursor.Span {
		return cursor.Span{Event: 16, At: at(from), Until: at(until)}
	}
	budget := func(event int64, from, until time.Duration) cursor.Span {
		return cursor.Span{Event: event, At: at(from), Until: at(until)}
	}
	held := func(h cursor.Span, change ...func(*cursor.Reading)) cursor.Reading {
		r := quietSince(0)
		r.Hold = h
		for _, c := range change {
			c(&r)
		}
		return r
	}
	budgeted := func(budgets ...cursor.Span) cursor.Reading {
		r := quietSince(0)
		r.Budgets = budgets
		return r
	}
	ended := func(until time.Duration) func(*cursor.Reading) {
		return func(r *cursor.Reading) { r.Hold.Ended, r.Spent = at(until), at(until).Sub(r.Hold.At) }
	}
	for _, c := range []struct {
		claim string
		r     cursor.Reading
		now   time.Duration
		want  string
	}{
		{"a hold in force", held(hold(minute, hour)), hour - 1, "waiting: hold"},
		{"after it silence begins", held(hold(minute, hour)), hour, "advancing"},
		{"an idle window after it", held(hold(minute, hour)), hour + 5*minute, "degraded: quiet"},
		{"stall_after after it", held(hold(minute, hour)), hour + 15*minute, "stalled: quiet"},
		{"a resume ends it", held(hold(minute, hour), ended(10*minute)), 10 * minute, "advancing"},
		{"silence begins at the resume", held(hold(minute, hour), ended(10*minute)), 25 * minute, "stalled: quiet"},
		{"a resume after its limit gives nothing", held(hold(minute, 5*minute), ended(10*minute)), 20 * minute, "stalled: quiet"},
		{"hold_cap ends it", held(hold(minute, 9*hour)), 4*hour + minute, "advancing"},
		{"and then silence begins", held(hold(minute, 9*hour)), 4*hour + 16*minute, "stalled: quiet"},
		{"what was spent before counts", held(hold(minute, hour), func(r *cursor.Reading) { r.Spent = 4*hour - 10*minute }), 11 * minute, "advancing"},
		{"nothing is left, and silence does not jump back", held(hold(10*minute, hour), func(r *cursor.Reading) { r.Spent = 4 * hour }), 10*minute + 1, "advancing"},
		{"nothing is left, and silence goes on from there", held(hold(10*minute, hour), func(r *cursor.Reading) { r.Spent = 4 * hour }), 15 * minute, "degraded: quiet"},
		{"nothing is left, and silence condemns", held(hold(10*minute, hour), func(r *cursor.Reading) { r.Spent = 4 * hour }), 25 * minute, "stalled: quiet"},
		{"a hold in force is above starting", with(unstarted(), func(r *cursor.Reading) { r.Hold = hold(minute, hour) }), 2 * minute, "waiting: hold"},
		{"after a hold nobody is starting any more", with(unstarted(), func(r *cursor.Reading) { r.Hold = hold(minute, 20*minute) }), 20 * minute, "advancing"},

		{"a budget in force", budgeted(budget(16, minute, 40*minute)), 40*minute - 1, "advancing"},
		{"a budget is no hold", budgeted(budget(16, minute, 40*minute)), 20 * minute, "advancing"},
		{"after it silence begins", budgeted(budget(16, minute, 40*minute)), 45 * minute, "degraded: quiet"},
		{"and condemns", budgeted(budget(16, minute, 40*minute)), 55 * minute, "stalled: quiet"},
		{"too many failed attempts inside a budget degrade", with(budgeted(budget(16, minute, 40*minute)), func(r *cursor.Reading) { r.Failed = 5 }), 4 * minute, "degraded: looping"},
		{"and are no budget's to excuse", with(budgeted(budget(16, minute, 40*minute)), func(r *cursor.Reading) { r.Failed = 5 }), 20 * minute, "stuck: looping"},
		{"fewer are", with(budgeted(budget(16, minute, 40*minute)), func(r *cursor.Reading) { r.Failed = 4 }), 20 * minute, "advancing"},
		{"a budget of an earlier worker is void", with(budgeted(budget(9, minute, 4*hour)), func(r *cursor.Reading) {
			r.Epoch, r.EpochEvent, r.EpochAt = 2, 14, at(hour)
			r.AdvancedAt = at(hour)
		}), hour + 15*minute, "stalled: quiet"},
		{"hold_cap ends a budget", budgeted(budget(16, minute, 9*hour)), 4*hour + 16*minute, "stalled: quiet"},
		{"parallel budgets are spent once", budgeted(budget(16, minute, 2*hour), budget(17, minute, 2*hour), budget(18, minute, 2*hour)), 2*hour + 4*minute, "advancing"},
		{"budgets one after the other are spent in all", budgeted(budget(16, 0, 3*hour), budget(17, 3*hour, 6*hour)), 4*hour + 15*minute, "stalled: quiet"},
		{"a budget and a hold are capped together", with(held(hold(3*hour, 6*hour)), func(r *cursor.Reading) { r.Budgets = []cursor.Span{budget(17, 0, 3*hour)} }), 4 * hour, "advancing"},
		{"a failed step has ended its budget", with(quietSince(0), func(r *cursor.Reading) { r.BudgetEnded, r.Spent = at(30*minute), 29*minute }), 45 * minute, "stalled: quiet"},
		{"a budget beyond the cap ended at the cap", with(quietSince(0), func(r *cursor.Reading) {
			r.BudgetEnded, r.Spent = at(5*hour), 5*hour
		}), 4*hour + 15*minute, "stalled: quiet"},
		{"tiny holds do not hold for ever", held(hold(5*hour, 5*hour+time.Second), func(r *cursor.Reading) { r.Spent = minute }), 5*hour + 2*minute, "stuck or stalled"},

		{"a told silence is not taken back by a hold", held(hold(minute, 40*minute), func(r *cursor.Reading) { r.Told = true }), 41 * minute, "stalled: quiet"},
		{"though the hold is shown", held(hold(minute, 40*minute), func(r *cursor.Reading) { r.Told = true }), 39 * minute, "waiting: hold"},
		{"nor by a budget", with(budgeted(budget(16, minute, hour)), func(r *cursor.Reading) { r.Told = true }), 30 * minute, "stalled: quiet"},
		{"nor by a start grace", with(unstarted(), func(r *cursor.Reading) { r.Told = true }), minute, "stalled: never-started"},
		{"nor by doubt", with(quietSince(0), func(r *cursor.Reading) { r.Told, r.Unsure = true, true }), hour, "stalled: quiet"},
		{"it may turn busy", with(quietSince(0), func(r *cursor.Reading) { r.Told, r.Rows = true, 3 }), minute, "stuck: looping"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			got := Default().Judge(c.r, at(c.now))
			if got.Says() != c.want && !(c.want == "stuck or stalled" && got.State.Still()) {
				t.Errorf("Judge at %v = %s (%s), want %s", c.now, got.Says(), got.Detail, c.want)
			}
		})
	}
}

func TestReceding(t *testing.T) {
	// A step and a new step a minute, from 7 of 20 on.
	ticks := func(n int, growth int64) cursor.Reading {
		r := quietSince(0)
		r.Rising = true
		for i := range n {
			r.Samples = append(r.Samples, cursor.Sample{At: at(time.Duration(i) * minute), Position: r.Position, Total: r.Total.N})
			r.Position++
			r.Total.N += growth
			r.AdvancedAt = at(time.Duration(i+1) * minute)
		}
		r.Samples = append(r.Samples, cursor.Sample{At: r.AdvancedAt, Position: r.Position, Total: r.Total.N})
		return r
	}
	for _, c := range []struct {
		claim string
		r     cursor.Reading
		now   time.Duration
		want  string
	}{
		{"younger than the window", ticks(14, 1), 14 * minute, "advancing"},
		{"the end runs away as fast", ticks(15, 1), 15 * minute, "degraded: receding"},
		{"the end runs away faster", ticks(15, 2), 15 * minute, "degraded: receding"},
		{"the end runs away, and one step slower", with(ticks(15, 1), func(r *cursor.Reading) { r.Total.N-- }), 15 * minute, "advancing"},
		{"the end runs away, and many steps slower", with(ticks(15, 2), func(r *cursor.Reading) { r.Position += 16 }), 15 * minute, "advancing"},
		{"the end is fixed", ticks(15, 0), 15 * minute, "advancing"},
		{"an open total may run away", with(ticks(15, 1), func(r *cursor.Reading) { r.Total.Open = true }), 15 * minute, "advancing"},
		{"a total that nobody knew at the edge", with(ticks(15, 1), func(r *cursor.Reading) { r.Samples[0].Total = 0 }), 15 * minute, "advancing"},
		{"the older edge has passed the rise", ticks(15, 1), 30*minute - 1, "degraded: receding"},
		{"a window in which nothing moved is silence", ticks(15, 1), 30 * minute, "stalled: quiet"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			p := Default()
			p.LoopRows = 1 << 40
			if c.now > 20*minute {
				p.StallAfter, p.IdleWindow = 15*minute, 15*minute-1
			}
			if got := p.Judge(c.r, at(c.now)); got.Says() != c.want {
				t.Errorf("Judge at %v = %s (%s), want %s", c.now, got.Says(), got.Detail, c.want)
			}
		})
	}
}

// TestWhoMayTakeNewWork: an open episode takes a worker out of rotation, by
// whatever thresholds he is judged. Only who took the run over in one may work
// on within his start grace: he could not end the episode else.
func TestWhoMayTakeNewWork(t *testing.T) {
	for _, row := range []struct {
		claim string
		r     cursor.Reading
		now   time.Duration
		want  bool
	}{
		{"moving", quietSince(hour), hour + minute, true},
		{"starting", unstarted(), minute, true},
		{"quiet", quietSince(hour), hour + 6*minute, false},
		{"told, and judged by a longer grace", with(unstarted(), func(r *cursor.Reading) { r.Told = true }), minute, false},
		{"a new worker in an open episode", with(quietSince(minute), func(r *cursor.Reading) {
			r.Epoch, r.EpochEvent, r.EpochAt, r.EpochMoved, r.Takeovers, r.Carried = 2, 16, at(hour), false, 1, true
		}), hour + minute, true},
		{"who was told of in his own epoch", with(quietSince(minute), func(r *cursor.Reading) {
			r.Epoch, r.EpochEvent, r.EpochAt, r.EpochMoved, r.Takeovers, r.Carried, r.Told = 2, 16, at(hour), false, 1, true, true
		}), hour + minute, false},
	} {
		if v := Default().Judge(row.r, at(row.now)); v.InRotation() != row.want {
			t.Errorf("%s: InRotation() = %v of %s, want %v", row.claim, !row.want, v.Says(), row.want)
		}
	}
}
