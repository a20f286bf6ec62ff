package policy

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// State is what to think of a run. DESIGN's table orders them.
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

// Verdict is the judge's answer at one instant, with its evidence.
type Verdict struct {
	State  State
	Reason string // one of the closed set of reasons, "" when the state says all
	Detail string // one sentence for a person, built from the evidence

	Silence time.Duration // awake time since the last advance, epoch start, hold or budget end
	Elapsed time.Duration // awake time since the run's start
	Since   int64         // the episode: cursor.Reading.Since

	// Next is the earliest instant, on the reading's awake timeline, at which
	// time alone could change this verdict; zero: never.
	Next time.Time

	Reading cursor.Reading
	Policy  Policy
}
