package policy

import "time"

// edges visits every instant at which the ladder can change by time alone.
func (j *judge) edges(visit func(time.Time)) {
	p, r := j.p, j.r
	visit(j.grace)
	visit(j.still.since.Add(p.IdleWindow))
	visit(j.still.since.Add(p.StallAfter))
	if !j.still.holdUntil.IsZero() {
		visit(j.still.holdUntil)
	}
	if p.MaxRuntime > 0 {
		visit(r.StartedAt.Add(p.MaxRuntime))
	}
	if j.full {
		visit(j.fullAt().Add(p.ExitGrace))
	}
	if !r.GoneSince.IsZero() {
		visit(r.GoneSince.Add(p.VanishGrace))
	}
	if r.Rising {
		for _, s := range r.Samples {
			visit(s.At.Add(p.StallAfter))
		}
	}
}

// next is the first edge after now at which the verdict is another than the
// given one; zero when there is none.
func (j *judge) next(now time.Time, state State, reason string) time.Time {
	var next time.Time
	j.edges(func(t time.Time) {
		if !t.After(now) || !next.IsZero() && !t.Before(next) {
			return
		}
		if s, why := j.at(t); s != state || why != reason {
			next = t
		}
	})
	return next
}

// due is next, or earlier: when a signal is called for without a new verdict.
func (j *judge) due(now time.Time, v Verdict) time.Time {
	due := v.Next
	if v.State.Ended() || v.State == Blind {
		return due
	}
	add := func(t time.Time) {
		if t.After(now) && (due.IsZero() || t.Before(due)) {
			due = t
		}
	}
	if v.State.Still() {
		add(later(j.still.since, j.r.EpochAt).Add(j.p.EscalateAfter))
	}
	if at, ok := j.wrapUpAt(); ok {
		add(at)
	}
	return due
}

// wrapUpAt is when the worker is told to wrap up, if it ever is.
func (j *judge) wrapUpAt() (time.Time, bool) {
	if j.p.MaxRuntime <= 0 || j.r.UnsureStart {
		return time.Time{}, false
	}
	return j.r.StartedAt.Add(j.p.wrapUpAfter()), true
}

func (p *Policy) wrapUpAfter() time.Duration {
	return time.Duration(float64(p.MaxRuntime) * p.WrapupFraction)
}
