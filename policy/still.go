package policy

import (
	"slices"
	"time"

	"github.com/progmon/progmon/cursor"
)

// still is from where the silence of a reading counts, and until when declared
// waits protect it. Neither depends on the instant of judging: an end that
// lies ahead is in it already.
type still struct {
	since     time.Time // silence counts from here; ahead of now while protected
	holdUntil time.Time // the hold in force stands until then; zero: none
}

// stillOf finds the latest of the last advance, the start of the epoch, the end
// of a hold and the end of a step's budget. The epochs of a run that is handed
// on and on do not count, nor do those that begin in an open episode.
//
// Holds and budgets protect for hold_cap in all. Time that several of them
// cover counts once: sixteen workers of a run may each declare the same forty
// minutes. Silence never starts later than hold_cap and stall_after beyond the
// last advance, so that a hold of a second, again and again, does not hold for
// ever, and one long hold declared at the last moment is not cut short; nor do
// takeovers, again and again. Who is the first to take a run over, and may do
// so long after everybody else had gone, is measured from there.
//
// Once retry_limit attempts have failed since the last advance, budgets protect
// no more: a loop that declares one at every try would else be busy for as long
// as hold_cap lasts. Holds still do.
func (p *Policy) stillOf(r *cursor.Reading) still {
	base := later(r.AdvancedAt, r.StartedAt)
	latest := p.latest(base)
	if !p.relayed(r) && !r.Carried {
		base = later(base, r.EpochAt)
	}
	if r.Takeovers <= 1 {
		latest = p.latest(base)
	}
	s := still{since: base}
	left := p.HoldCap - r.Spent
	// What is over and went beyond the cap protected until the cap.
	over := max(-left, 0)
	left = max(left, 0)
	looping := r.Failed >= p.RetryLimit
	if !r.BudgetEnded.IsZero() && !looping {
		s.since = later(s.since, r.BudgetEnded.Add(-over))
	}

	spans := make([]cursor.Span, 0, 4)
	if h := r.Hold; h.Event != 0 {
		if h.Ended.IsZero() {
			spans = append(spans, h)
			if left == 0 {
				// The cap was used up before this hold. Where the one before it
				// ended is not kept; silence must not jump back behind it.
				s.since = later(s.since, h.At.Add(-over))
			}
		} else {
			s.since = later(s.since, later(earlier(h.Ended, h.Until).Add(-over), h.At))
		}
	}
	for _, b := range r.Budgets {
		// A budget that an earlier worker declared protects no other.
		if b.Event >= r.EpochEvent && !looping {
			spans = append(spans, b)
		}
	}
	slices.SortFunc(spans, func(a, b cursor.Span) int { return a.At.Compare(b.At) })

	var covered time.Time
	for _, span := range spans {
		end := span.Until
		if !span.Ended.IsZero() {
			end = earlier(end, span.Ended)
		}
		from := later(span.At, covered)
		if new := end.Sub(from); new > left {
			end = from.Add(left)
		}
		if end.After(from) {
			left -= end.Sub(from)
			covered = end
		} else {
			end = earlier(end, covered) // wholly inside what is covered
		}
		if span.Event == r.Hold.Event {
			s.holdUntil = end
		}
		s.since = later(s.since, end)
	}
	s.since = earlier(s.since, latest)
	return s
}

// silence is how long the run has been silent at t; none while protected.
func (s still) silence(t time.Time) time.Duration { return max(t.Sub(s.since), 0) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
