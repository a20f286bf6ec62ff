package supervise

import (
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// deed is what the wrapper does about its own run.
type deed string

const (
	ping      deed = "ping"      // nudge the worker
	capture   deed = "capture"   // keep evidence of an episode that opens
	wrapup    deed = "wrap up"   // tell the worker that its time runs out
	terminate deed = "terminate" // end it, because nothing else helped
)

// ladder decides on deeds. It goes by two witnesses: the wrapper's own verdict
// at its looks, and the signals that a monitor has put on record. Either may
// ask for a nudge or for evidence. Nobody is terminated before the wrapper's
// own verdict has said so at two looks in a row.
type ladder struct {
	policy policy.Policy
	seen   policy.Memory // the edges of the wrapper's own looks

	pinged, captured policy.Episode // the last ones that were acted on
	wrapped          int64          // the epoch that was told to wrap up
	looks            int            // in a row at which the episode was beyond all patience
	sighted          time.Duration  // since when, monotonic, the run was seen without a break
	sees             bool
}

// monitorFirst is for how many looks a monitor that looks too is given to find
// an escalation by itself.
const monitorFirst = 4

// blind forgets what rests on unbroken sight.
func (l *ladder) blind() { l.looks, l.sees = 0, false }

// told completes a reading with what was told of it, to the wrapper's knowledge.
func (l *ladder) told(r *cursor.Reading, log policy.Memory) {
	r.Told = l.seen.Told(*r) || log.Told(*r)
	r.Carried = l.seen.Carried(*r) || log.Carried(*r)
}

// look takes the verdict of one look, what the log has told of the run by
// then, whether a monitor is looking as well, and the monotonic clock.
func (l *ladder) look(v policy.Verdict, log policy.Memory, monitored bool, mono time.Duration) []deed {
	if v.State == policy.Blind {
		l.blind()
		return nil
	}
	if !l.sees {
		l.sees, l.sighted = true, mono
	}
	_, l.seen = policy.Edges(l.seen, v, nil)
	here := policy.Episode{Epoch: v.Reading.Epoch, Since: v.Since}
	if v.State.Ended() {
		l.looks = 0
		return nil
	}
	var deeds []deed
	if l.pinged != here && (l.seen.Pinged == here || log.Pinged == here) {
		l.pinged = here
		deeds = append(deeds, ping)
	}
	if l.captured != here && (l.seen.Stalled == here || log.Stalled == here) {
		l.captured = here
		deeds = append(deeds, capture)
	}
	if l.wrapped != here.Epoch && (l.seen.WrapUp == here.Epoch || log.WrapUp == here.Epoch) {
		l.wrapped = here.Epoch
		deeds = append(deeds, wrapup)
	}
	if !l.hopeless(v, log, here, mono) {
		l.looks = 0
		return deeds
	}
	// A monitor is let go first, so that it is the one that tells.
	if l.looks++; l.looks >= 2 && (!monitored || log.Escalated == here || l.looks > monitorFirst) {
		deeds = append(deeds, terminate)
	}
	return deeds
}

// hopeless says that the episode has been escalated and that the wrapper
// itself has seen nothing else for all that time. A worker that somebody
// stopped on purpose is left to whoever did.
func (l *ladder) hopeless(v policy.Verdict, log policy.Memory, here policy.Episode, mono time.Duration) bool {
	escalated := l.seen.Escalated == here || log.Escalated == here
	return escalated && l.policy.Mode == policy.Enforce && v.State.Still() &&
		v.OwnSilence >= l.policy.EscalateAfter && !v.Reading.Unsure && v.Reading.Presence == cursor.Alive &&
		mono-l.sighted >= l.policy.EscalateAfter
}
