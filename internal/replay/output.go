package replay

import (
	"time"

	"github.com/progmon/progmon/policy"
)

// DefaultInterval is the tape time from look to look when nothing else is said.
const DefaultInterval = 5 * time.Second

// Judgement is a verdict that differs from the one before in state or reason.
type Judgement struct {
	At      time.Duration // tape time of the look
	Verdict policy.Verdict
}

// Signal is an edge, with the verdict that it came from.
type Signal struct {
	At time.Duration
	policy.Signal
	Verdict policy.Verdict
}

// Refusal is a row that a rule of the trail refused.
type Refusal struct {
	Line Line
	Err  error
}

// Output is told what comes of a tape, in the order of tape time, within a look
// in the order of the runs' names, and of a run first its verdict. Any of the
// functions may be nil.
type Output struct {
	Verdict func(Judgement)
	Signal  func(Signal)
	Refused func(Refusal)
}

// Summary is what a replay came to.
type Summary struct {
	Length                    time.Duration // from the first line to the last look
	Runs                      int
	Rows, Refused             int64 // rows of the log; how many of them were refused
	Looks, BlindLooks, Missed int64
	Verdicts                  int64                  // changes of verdict
	Signals                   map[string]int64       // by kind; "pinged" too
	States                    map[policy.State]int64 // of the runs, at the end
}
