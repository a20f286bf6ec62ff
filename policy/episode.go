package policy

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// The kinds of signals that a monitor records. Pinged is recorded beside them:
// it is no signal and is delivered to nobody.
const (
	SignalStalled   = "stalled" // for stalled and stuck alike
	SignalEscalated = "escalated"
	SignalRecovered = "recovered"
	SignalWrapUp    = "wrap-up"
	SignalTimeout   = "timeout"
	SignalDone      = "done"
	SignalFailed    = "failed"
	SignalCancelled = "cancelled"
	SignalRespawned = "respawned" // by whoever continues a run
	SignalGaveUp    = "gave-up"   // by whoever would have
	Pinged          = "pinged"
)

// Signal is one edge to record, at most once per run, epoch, kind and since.
type Signal struct {
	Kind string
	// Epoch and Since name the episode. For recovered they are those of the
	// stalled that it answers, not of the advance that answered it.
	Epoch, Since int64
}

// EventKind is the kind of the row that records s.
func (s Signal) EventKind() string {
	if s.Kind == Pinged {
		return Pinged
	}
	return "signal." + s.Kind
}

// Episode names one: the epoch, and the row of the last advance. The zero value
// is none.
type Episode struct{ Epoch, Since int64 }

// Memory is what has been told of a run: of each kind of signal the last one,
// the stalled that nothing has answered yet, and the last verdict. It is a
// plain value, and all but State and Reason can be had from the log again:
// start from the zero value and give each signal of the run to Note, in order.
type Memory struct {
	State  State // the last verdict; empty when there was none
	Reason string

	Stalled, Escalated, Pinged Episode // the last one each that was told
	Open                       Episode // the stalled that is not answered yet

	Done, Failed, Cancelled Episode // the last one each that was told
	Ended                   string  // the kind of the last of these three

	// The epochs in which these were told, 0 for none.
	WrapUp, Timeout int64
}

// Told reports whether r is in an episode that was told as stalled: the value
// of cursor.Reading.Told.
func (m Memory) Told(r cursor.Reading) bool {
	return m.Stalled == Episode{r.Epoch, r.Since()}
}

// Carried reports whether r goes on in an episode that was told as stalled in
// an earlier epoch: the value of cursor.Reading.Carried.
func (m Memory) Carried(r cursor.Reading) bool {
	return m.Open != Episode{} && m.Open.Since == r.Since() && m.Open.Epoch < r.Epoch
}

// Note is the memory after s was told.
func (m Memory) Note(s Signal) Memory {
	e := Episode{s.Epoch, s.Since}
	switch s.Kind {
	case SignalStalled:
		m.Stalled, m.Open = e, e
	case SignalEscalated:
		m.Escalated = e
	case Pinged:
		m.Pinged = e
	case SignalRecovered:
		m.Open = Episode{}
	case SignalWrapUp:
		m.WrapUp = s.Epoch
	case SignalTimeout:
		m.Timeout = s.Epoch
	case SignalDone:
		m.Done, m.Ended, m.Open = e, s.Kind, Episode{}
	case SignalFailed:
		m.Failed, m.Ended, m.Open = e, s.Kind, Episode{}
	case SignalCancelled:
		m.Cancelled, m.Ended, m.Open = e, s.Kind, Episode{}
	}
	return m
}

// Edges says what v, the verdict of one look, is worth telling after what m
// says was told before, and what is remembered then. It appends to signals, in
// the order in which they are to be recorded.
//
//   - stalled, once an episode, whether the verdict is stalled or stuck and
//     however often it changes between the two.
//     A run that is handed from worker to worker, and stays stalled, is told
//     of again for a worker that by itself is silent for as long.
//   - escalated, after a stalled of the same episode that an earlier look told:
//     no single look both accuses and escalates.
//   - recovered, when there was an advance after a stalled: whatever the
//     verdict is by then, and whoever made the advance. A takeover does not
//     answer a stalled. It is answered by the next advance, or replaced by the
//     stalled of the new epoch.
//   - the end of a run, once an epoch; it closes an open episode by itself. It is
//     told again, of another episode, where the run had gone on meanwhile (a
//     total was raised, a process that was gone wrote again) or where it ends
//     otherwise than was told last.
//   - timeout and wrap-up, once an epoch. A timeout closes no episode: the run
//     goes on until it ends.
//   - pinged, once an episode that left rotation, for as long as it lasts: a run
//     that keeps receding or regressed while it advances is not pinged again
//     for each step.
//
// A blind verdict is no edge. What came and went between two looks leaves none.
func Edges(m Memory, v Verdict, signals []Signal) ([]Signal, Memory) {
	before := m
	m.State, m.Reason = v.State, v.Reason
	here := Episode{v.Reading.Epoch, v.Since}
	tell := func(kind string, e Episode) {
		s := Signal{Kind: kind, Epoch: e.Epoch, Since: e.Since}
		signals = append(signals, s)
		m = m.Note(s)
	}
	if v.State == Blind {
		return signals, m
	}
	if v.State.Ended() {
		kind, told := SignalDone, m.Done
		switch v.State {
		case Failed:
			kind, told = SignalFailed, m.Failed
		case Cancelled:
			kind, told = SignalCancelled, m.Cancelled
		}
		wentOn := before.State != "" && before.State != Blind && !before.State.Ended()
		if told.Epoch != here.Epoch || told != here && (wentOn || m.Ended != kind) {
			tell(kind, here)
		}
		m.Open = Episode{}
		return signals, m
	}
	if m.Open != (Episode{}) && here.Since > m.Open.Since {
		tell(SignalRecovered, m.Open)
	}
	if v.State.Still() || v.State == Degraded {
		moving := v.Reason == ReasonReceding || v.Reason == ReasonRegressed
		same := moving && before.State == v.State && before.Reason == v.Reason && m.Pinged != (Episode{})
		if m.Pinged != here && !same && (!v.Reading.Carried || v.own.Still() || v.own == Degraded) {
			tell(Pinged, here)
		}
	}
	if v.State.Still() {
		switch {
		case m.Stalled != here && v.Reading.Carried && !v.own.Still():
			// It is the episode of an earlier worker, which was told.
		case m.Stalled != here:
			tell(SignalStalled, here)
		case m.Open == Episode{}:
			m.Open = here // an end was taken back, and the episode goes on
		case m.Escalated != here && v.OwnSilence >= v.Policy.EscalateAfter:
			tell(SignalEscalated, here)
		}
	}
	if v.State == Timeout && m.Timeout != here.Epoch {
		tell(SignalTimeout, here)
	}
	if v.wrapUpDue() && m.WrapUp != here.Epoch {
		tell(SignalWrapUp, here)
	}
	return signals, m
}

// wrapUpDue reports that the worker should be told to wrap up. Once it has run
// out of time there is nothing to tell.
func (v *Verdict) wrapUpDue() bool {
	return v.Policy.MaxRuntime > 0 && !v.Reading.UnsureStart && v.State != Timeout &&
		v.Elapsed >= v.Policy.wrapUpAfter()
}

// LookAgain is when a monitor must look at the run again, on the awake
// timeline, though its trail does not change: the verdict's Due, or at once
// where a signal waits for its second look, and where the first one has made
// sure what was not. Zero is never.
func LookAgain(m Memory, v Verdict, now time.Time) time.Time {
	if (v.Reading.Unsure || v.Reading.UnsureStart) && !v.State.Ended() {
		return now
	}
	here := Episode{v.Reading.Epoch, v.Since}
	if v.State.Still() && v.OwnSilence >= v.Policy.EscalateAfter && m.Stalled == here && m.Escalated != here {
		return now
	}
	return v.Due
}
