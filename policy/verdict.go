package policy

import (
	"strconv"
	"time"

	"github.com/progmon/progmon/cursor"
)

// State is what to think of a run. The table in docs/VERDICTS.md orders them.
type State string

// The states, first match wins.
const (
	Cancelled State = "cancelled"
	Failed    State = "failed"
	Done      State = "done"
	Blind     State = "blind"
	Timeout   State = "timeout"
	Waiting   State = "waiting"
	Degraded  State = "degraded"
	Starting  State = "starting"
	Stuck     State = "stuck"
	Stalled   State = "stalled"
	Advancing State = "advancing"
)

// States are all of them.
func States() []State {
	return []State{Cancelled, Failed, Done, Blind, Timeout, Waiting, Degraded, Starting, Stuck, Stalled, Advancing}
}

// Ended reports whether the run is over.
func (s State) Ended() bool { return s == Cancelled || s == Failed || s == Done }

// Still reports whether s says that the run does not move: stalled or stuck.
func (s State) Still() bool { return s == Stalled || s == Stuck }

// The reasons of a verdict. The others are made from a number ("exit 3",
// "signal 9") or are a cursor.Blindness.
const (
	ReasonSpawn        = "spawn"         // failed: the command could not be started
	ReasonMalformed    = "malformed"     // failed: the exit record cannot be read
	ReasonShort        = "short"         // failed: exit 0 with steps left
	ReasonVanished     = "vanished"      // failed: gone without an exit record
	ReasonNoEvidence   = "no-evidence"   // failed: a directory with neither pid nor exit
	ReasonMaxRuntime   = "max_runtime"   // timeout
	ReasonHold         = "hold"          // waiting
	ReasonUnexited     = "unexited"      // degraded: finished, and the process lives on
	ReasonLooping      = "looping"       // busy without an advance
	ReasonQuiet        = "quiet"         // cold
	ReasonNeverStarted = "never-started" // cold, without an advance in this epoch
	ReasonStopped      = "stopped"       // cold, and the process is stopped (SIGSTOP)
	ReasonRegressed    = "regressed"     // degraded: an observed cursor fell back
	ReasonReceding     = "receding"      // degraded: the end runs away
)

// Verdict is the judge's answer at one instant, with its evidence.
type Verdict struct {
	State  State
	Reason string // one of the closed set of reasons, "" when the state says all
	Detail string // one sentence for a person, built from the evidence

	Silence time.Duration // awake time since the last advance, epoch start, hold or budget end
	// OwnSilence is Silence, but no longer than this epoch: who has just taken
	// over a run that is silent for long is not escalated for it.
	OwnSilence time.Duration
	Elapsed    time.Duration // awake time since the run's start
	Since      int64         // the episode: cursor.Reading.Since

	// Next is the earliest instant, on the reading's awake timeline, at which
	// time alone could change this verdict; zero: never.
	Next time.Time
	// Due is the earliest instant at which time alone could change the verdict
	// or call for a signal (escalated, wrap-up); zero: never. It is never later
	// than Next. A monitor need not judge the run before it unless its trail
	// changes.
	Due time.Time

	Reading cursor.Reading
	Policy  Policy

	// own is the state that the worker of this epoch has earned by itself: other
	// than State where that goes on from the episode of an earlier worker.
	own State
}

// Says is the state with its reason, as in "stuck: looping".
func (v Verdict) Says() string {
	if v.Reason == "" {
		return string(v.State)
	}
	return string(v.State) + ": " + v.Reason
}

// BySilence reports whether v accuses the run of not moving: stalled, stuck, or
// degraded on the way there. The other reasons to be degraded are seen in a run
// that moves, or has no step left.
func (v Verdict) BySilence() bool {
	if v.State != Degraded {
		return v.State.Still()
	}
	switch v.Reason {
	case ReasonUnexited, ReasonRegressed, ReasonReceding:
		return false
	}
	return true
}

// InRotation reports whether the worker of the run may take new work. A hold
// that was declared in an open episode does not put it back. Who took the run
// over in one may, within its start grace: it could not end the episode else.
func (v Verdict) InRotation() bool {
	switch {
	case v.State.Still() && v.own == Starting:
		return v.Reading.Carried && !v.Reading.Told
	case v.State == Advancing, v.State == Starting, v.State == Waiting:
		return !v.Reading.Told
	}
	return false
}

// exitReason says how an exit record reads as a failure; "" is a clean exit.
func exitReason(e cursor.Exit) string {
	switch {
	case e.Reason == ReasonSpawn || e.Reason == ReasonMalformed || e.Reason == ReasonNoEvidence:
		return e.Reason
	case e.Signal != 0:
		return "signal " + strconv.Itoa(e.Signal)
	case e.Code != 0:
		return "exit " + strconv.Itoa(e.Code)
	}
	return ""
}
