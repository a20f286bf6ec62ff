package policy

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// Judge says what to think of r at now, an instant on the awake timeline of the
// reading. The states are tried in the order of docs/VERDICTS.md and the first
// that fits is the verdict.
//
// One thing is remembered across verdicts, through the reading: where a stalled
// episode is open (Reading.Told, or Reading.Carried where that was an earlier
// worker's) the run is stalled or stuck until it advances or ends, whatever
// protects it since and whoever takes it over. A hold declared then is shown as
// waiting while it stands, and does not begin the silence of the verdict anew.
func (p Policy) Judge(r cursor.Reading, now time.Time) Verdict {
	j := p.judgeOf(&r)
	v := Verdict{Since: r.Since(), Reading: r, Policy: p}
	if !r.StartedAt.IsZero() {
		v.Elapsed = max(now.Sub(r.StartedAt), 0)
	}
	if !j.still.since.IsZero() {
		v.Silence = j.still.silence(now)
	}
	v.OwnSilence = min(v.Silence, max(now.Sub(r.EpochAt), 0))
	v.State, v.Reason = j.at(now)
	v.own = v.State
	v.Next = j.next(now, v.State, v.Reason)
	v.Due = j.due(now, v)
	if r.Told || r.Carried || p.relayed(&r) {
		// What the worker of this epoch answers for by itself.
		alone := r
		alone.Told, alone.Carried, alone.Takeovers = false, false, 0
		own := p.judgeOf(&alone)
		var why string
		v.own, why = own.at(now)
		if at := own.next(now, v.own, why); !at.IsZero() && (v.Due.IsZero() || at.Before(v.Due)) {
			v.Due = at
		}
	}
	v.Detail = detail(&v, &j, now)
	return v
}

func (p *Policy) judgeOf(r *cursor.Reading) judge {
	return judge{p: p, r: r, still: p.stillOf(r), full: r.Full(), grace: r.EpochAt.Add(p.startGrace())}
}

// judge is a reading under a policy, with what does not depend on the instant.
type judge struct {
	p     *Policy
	r     *cursor.Reading
	still still
	full  bool      // every step of the bound is terminal
	grace time.Time // the end of the start grace of this epoch
}

// at is the ladder. As a function of t it changes only at the instants that
// edges lists.
func (j *judge) at(t time.Time) (State, string) {
	if state, reason, ok := j.end(t); ok {
		return state, reason
	}
	p, r := j.p, j.r
	switch {
	case r.Blind.Reason != "":
		return Blind, r.Blind.Reason
	case p.MaxRuntime > 0 && !r.UnsureStart && t.Sub(r.StartedAt) >= p.MaxRuntime:
		return Timeout, ReasonMaxRuntime
	case t.Before(j.still.holdUntil):
		return Waiting, ReasonHold
	case j.full && !r.Total.Open:
		// Nothing is left to be silent about.
		if t.Sub(j.fullAt()) >= p.ExitGrace {
			return Degraded, ReasonUnexited
		}
		return Advancing, ""
	case !r.EpochMoved && t.Before(j.grace) && !r.Told && !r.Carried && !p.relayed(r):
		return Starting, ""
	}
	if state, reason, ok := j.stillness(t); ok {
		return state, reason
	}
	if reason := j.lessening(t); reason != "" {
		return Degraded, reason
	}
	return Advancing, ""
}

// end is the first three rungs: how the run ended, if it did.
func (j *judge) end(t time.Time) (State, string, bool) {
	r := j.r
	if r.Cancelled {
		return Cancelled, "", true
	}
	if r.Exit.Known {
		reason := exitReason(r.Exit)
		bound := r.Bound()
		short := bound.Known && r.Position < bound.N
		switch {
		case r.Exit.AskedBy == "user" && (short || reason != "") && reason != ReasonSpawn:
			// A person wanted this end: the signal it took is evidence, not a
			// failure.
			return Cancelled, "", true
		case reason != "":
			return Failed, reason, true
		case short:
			return Failed, ReasonShort, true
		}
		return Done, "", true
	}
	switch {
	case !r.Process && j.full && !r.Total.Open:
		return Done, "", true
	case r.Presence == cursor.Gone && !r.GoneSince.IsZero() && t.Sub(r.GoneSince) >= j.p.VanishGrace:
		return Failed, ReasonVanished, true
	}
	return "", "", false
}

// busy reports rows, or a log, that went on without an advance.
func (j *judge) busy() bool {
	return j.r.Rows >= j.p.LoopRows || j.r.Growth >= j.p.LoopRows
}

func (j *judge) retrying() bool { return j.r.Failed >= j.p.RetryLimit || j.p.relayed(j.r) }

// relayed reports that retry_limit workers took the run over, one after the
// other, and none of them advanced it; or fewer, but more than one, and no
// single worker may be silent for so long. Each is an attempt at the run that
// has failed: what begins with an epoch, its grace and its silence, does not
// begin again for the next one.
func (p *Policy) relayed(r *cursor.Reading) bool {
	return r.Takeovers >= p.RetryLimit || r.Takeovers > 1 && r.EpochAt.After(p.latest(later(r.AdvancedAt, r.StartedAt)))
}

// latest is when the silence of what advanced at the given instant begins at
// the latest, whatever it declares.
func (p *Policy) latest(advance time.Time) time.Time { return advance.Add(p.HoldCap + p.StallAfter) }

// stillness is stuck and stalled. What rests on a clock that nothing confirms
// comes out as degraded, with the same reason.
func (j *judge) stillness(t time.Time) (State, string, bool) {
	r := j.r
	silence := j.still.silence(t)
	open := r.Told || r.Carried
	long := silence >= j.p.StallAfter || open
	state, reason := Stalled, ReasonQuiet
	switch {
	case long && j.busy(), (silence >= j.p.IdleWindow || open) && j.retrying():
		state, reason = Stuck, ReasonLooping
	case !long:
		return "", "", false
	case r.Presence == cursor.Stopped:
		reason = ReasonStopped
	case !r.EpochMoved:
		reason = ReasonNeverStarted
	}
	if r.Unsure && !open {
		state = Degraded
	}
	return state, reason, true
}

// lessening is the reason to be degraded, if there is one.
func (j *judge) lessening(t time.Time) string {
	r := j.r
	switch {
	case j.retrying():
		return ReasonLooping
	case r.HasObserved && r.Observed < r.Position,
		r.HasObservedTotal && r.ObservedTotal < r.Position:
		return ReasonRegressed
	case j.receding(t):
		return ReasonReceding
	case j.still.silence(t) < j.p.IdleWindow:
		return ""
	case !r.EpochMoved:
		return ReasonNeverStarted
	case j.busy():
		return ReasonLooping
	}
	return ReasonQuiet
}

// receding reports that over the last stall_after steps were done and the end
// ran away as fast. A run younger than the window has no older edge to be
// measured from.
func (j *judge) receding(t time.Time) bool {
	r := j.r
	bound := r.Bound()
	if !r.Rising || !bound.Known || bound.Open {
		return false
	}
	edge := t.Add(-j.p.StallAfter)
	for i := len(r.Samples) - 1; i >= 0; i-- {
		if s := r.Samples[i]; !s.At.After(edge) {
			return s.Total > 0 && r.Position > s.Position && bound.N > s.Total &&
				r.Remaining() >= max(s.Total-s.Position, 0)
		}
	}
	return false
}

// fullAt is when the position reached the bound.
func (j *judge) fullAt() time.Time {
	if !j.r.FullAt.IsZero() {
		return later(j.r.FullAt, j.r.EpochAt)
	}
	return later(j.r.AdvancedAt, j.r.EpochAt)
}
