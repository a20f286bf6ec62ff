package cursor

import "time"

// Presence is what is known of a run's process. It can veto or explain a
// verdict; it never proves progress, and Unknown is never Gone.
type Presence string

// The presences. A run without a process has NoProcess.
const (
	NoProcess Presence = ""
	Unknown   Presence = "unknown"
	Alive     Presence = "alive"
	Stopped   Presence = "stopped" // alive, but stopped by a signal (SIGSTOP)
	Gone      Presence = "gone"
)

// Exit is the exit record of the run's present epoch. Exactly one of Code,
// Signal, Reason speaks when Known.
type Exit struct {
	Known   bool
	Code    int    // 0..255, meaningful when Signal is 0 and Reason is empty
	Signal  int    // 1..127, 0 when the process was not ended by a signal
	Reason  string // "spawn", "malformed" or "no-evidence", else empty
	AskedBy string // who asked for the end: worker, user, supervisor, or empty
	Event   int64  // the row that says so
}

// Span is a declared wait: a hold, or the budget of a step.
type Span struct {
	Event int64     // the row that declared it; 0 means there is none
	At    time.Time // when it began
	Until time.Time // when it ends by its own limit
	Ended time.Time // when it was ended before that; zero while it stands
	Why   string    // the reason given, untrusted text
}

// Total is a bound on the number of steps.
type Total struct {
	N     int64
	Known bool // false: no bound was declared
	Open  bool // the bound may honestly grow
}

// Sample is where a run stood at an instant. Samples let the judge look at the
// older edge of a window.
type Sample struct {
	At       time.Time
	Position int64
	Total    int64
}

// Blindness says that a trail cannot be read. The zero value is sight.
type Blindness struct {
	Reason string // missing, empty, not-a-trail, corrupt, replaced, permission, locked, newer-schema, older-schema, hung, no-trail
	Detail string // what was seen, for a person
}

// Reading is where one run stands, as its trail says. It holds no opinion.
//
// Every instant in it lies on the awake clock: a timeline that does not move
// while the machine is suspended and never jumps (see Clock). A zero instant
// means that the thing has not happened.
type Reading struct {
	Run    string
	Family string
	Epoch  int64

	Total    Total
	Position int64 // distinct terminal steps, or the observed maximum: never falls
	Frontier int64 // steps 1..Frontier are all terminal: resume after it

	// An observed cursor (kind "cursor") may stand below its high-water mark.
	HasObserved       bool
	Observed          int64
	HasObservedTotal  bool
	ObservedTotal     int64
	ObservedTotalHigh int64

	StartEvent   int64 // the row run.started
	StartedAt    time.Time
	EpochEvent   int64 // the row that opened the present epoch
	EpochAt      time.Time
	AdvanceEvent int64 // the row of the last advance in any epoch; 0: none yet
	AdvancedAt   time.Time
	EpochMoved   bool // there was an advance in the present epoch
	// Takeovers is how many epochs have begun since the last advance, or since
	// the start of a run that has none.
	Takeovers int64
	FullAt    time.Time
	LastEvent int64 // the run's newest row that is not the monitor's
	LastRowAt time.Time

	// Unsure is set where silence rests on a wall clock that nothing confirms.
	// An unsure silence never condemns. UnsureStart says the same of StartedAt,
	// from which max_runtime is counted.
	Unsure      bool
	UnsureStart bool
	// Told is set once the log holds a signal.stalled with this Epoch and this
	// Since. An open episode ends only by an advance or by the run's end, so
	// what would delay a verdict (a hold, a budget, a late look, a larger
	// threshold) takes this one back no more.
	Told bool
	// Carried is set once the log holds a signal.stalled of an earlier epoch with
	// this Since, and no end of the run after it: a takeover is no advance, so
	// the episode goes on though its worker is another.
	Carried bool

	Rows   int64 // rows since the last advance that are work but no advance
	Failed int64 // attempts failed since the last advance
	Growth int64 // looks since the last advance at which the log was seen to grow
	Bytes  int64 // log bytes seen since the last advance

	Hold    Span
	Budgets []Span // of the steps that are running with one
	// Spent is what the holds and budgets that are over have used of hold_cap: a
	// Hold that was Ended is in it, what stands in Hold and Budgets is not. A
	// budget whose step ended with an advance costs nothing.
	Spent time.Duration
	// BudgetEnded is when the last budgeted step ended other than by an advance.
	BudgetEnded time.Time

	// Rising is set when the total rose at least once; Samples then reach back
	// over the judge's window, oldest first: where the run stood at some of its
	// rows, the first of them at or before the window's older edge.
	Rising  bool
	Samples []Sample

	Process   bool // the run is said to have a process
	Presence  Presence
	GoneSince time.Time // when the process was first seen gone without a record
	Exit      Exit
	Cancelled bool
	Refused   int64 // writes refused by the fence

	// Activity is set for a directory without rows: it is judged on activity.
	Activity bool

	Blind Blindness
}

// Since names the episode that the run is in: the id of the row of the last
// advance, or of the row that opened the run when there was none.
func (r Reading) Since() int64 {
	if r.AdvanceEvent != 0 {
		return r.AdvanceEvent
	}
	return r.StartEvent
}

// Bound is the total that the position is measured by: the declared one, or
// the one that was last observed where that is the larger or the only one. An
// observed total below the position bounds nothing: it is a regression.
func (r Reading) Bound() Total {
	b := r.Total
	if r.HasObservedTotal && r.ObservedTotal >= r.Position && (!b.Known || r.ObservedTotal > b.N) {
		b.N, b.Known = r.ObservedTotal, true
	}
	return b
}

// Remaining is how many steps are left before the run is done: the bound minus
// the position, never negative, and 0 when no bound is known. Kafka tools call
// the same quantity lag.
func (r Reading) Remaining() int64 {
	b := r.Bound()
	if !b.Known {
		return 0
	}
	return max(b.N-r.Position, 0)
}

// Full reports whether every step of a known bound is terminal.
func (r Reading) Full() bool {
	b := r.Bound()
	return b.Known && r.Position >= b.N
}
