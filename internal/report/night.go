package report

import (
	"encoding/json"
	"fmt"
	"time"
)

// Night is what happened on a trail in a period: the answer of progmon audit.
// Every format prints this one value, and its JSON is the document that
// docs/AUDIT.md describes: fields are only ever added. Text in it that came
// from rows (ids, names, reasons, notes) is untrusted and raw; whoever prints
// it escapes it. Lists are never nil.
type Night struct {
	Schema  int    `json:"schema"`  // 1
	Verdict string `json:"verdict"` // the night in one sentence
	// Check is the worst that the period held, and the exit code of --check.
	Check Level `json:"check"`

	At   Instant `json:"at"`   // when the report was made
	From Instant `json:"from"` // the period is from here
	To   Instant `json:"to"`   // to here, this instant not included
	// Zone is the time zone that people are told times in; in the JSON they are
	// UTC.
	Zone string `json:"zone"`
	// Trail is the database file, Instance the name that the trail in it carries.
	Trail    string `json:"trail"`
	Instance string `json:"instance"`
	// Only are the families that were asked for; none means all of them.
	Only []string `json:"only"`

	Counts Counts `json:"counts"`
	// Eyes is what needs eyes, the worst first; EyesLeftOff is how many more
	// there are, of those that are the least.
	Eyes        []Eye    `json:"eyes"`
	EyesLeftOff int64    `json:"eyes_left_off"`
	Families    []Family `json:"families"` // by name

	Watching  Watching  `json:"watching"`
	Outbox    Outbox    `json:"outbox"`
	Integrity Integrity `json:"integrity"`
	Disk      Disk      `json:"disk"`
	Backup    Backup    `json:"backup"`
}

// Level says how bad something is: the exit codes of status --check.
type Level int

// The levels, the least first.
const (
	LevelFine     Level = 0 // worth knowing, and no more
	LevelDegraded Level = 1
	LevelBad      Level = 2 // stalled, stuck, timeout, failed; rows that were tampered with
	LevelBlind    Level = 3 // nobody could see, or nobody looked
)

// Instant is a wall clock instant; the zero Instant is none, and null in JSON.
// It is printed in its own location, and in JSON as RFC 3339 in UTC to the
// millisecond.
type Instant struct{ time.Time }

// MarshalJSON writes the instant, or null.
func (i Instant) MarshalJSON() ([]byte, error) {
	if i.IsZero() {
		return []byte("null"), nil
	}
	t := i.UTC()
	if year := t.Year(); year > 9999 || year < 0 {
		t = time.UnixMilli(253402300799999).UTC() // the last that JSON can hold
	}
	return []byte(t.Format(`"2006-01-02T15:04:05.000Z07:00"`)), nil
}

// Length is a length of time; in JSON it is seconds, to the millisecond. Where
// it may be unknown a field has a *Length, and null in JSON.
type Length time.Duration

// Duration is the length as package time has it.
func (l Length) Duration() time.Duration { return time.Duration(l) }

// MarshalJSON writes seconds.
func (l Length) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(time.Duration(l).Milliseconds()) / 1000)
}

// Counts is the period in numbers.
type Counts struct {
	Events   int64    `json:"events"`
	Runs     int64    `json:"runs"` // with a row of their own in the period
	Outcomes Outcomes `json:"outcomes"`
	Steps    int64    `json:"steps"` // that became done
	Episodes int64    `json:"episodes"`
	// Recovered of the episodes ended by themselves.
	Recovered int64 `json:"recovered"`
}

// Outcomes counts runs by where they stood at the end of the period.
type Outcomes struct {
	Done      int64 `json:"done"`
	Failed    int64 `json:"failed"`
	Timeout   int64 `json:"timeout"` // and not ended since
	Cancelled int64 `json:"cancelled"`
	// Stalled are those in an episode that was told and has not ended, Live all
	// others that had not ended.
	Stalled int64 `json:"stalled"`
	Live    int64 `json:"live"`
}

// The kinds of what needs eyes.
const (
	EyeBlind       = "blind"        // a monitor could not see
	EyeUnwatched   = "unwatched"    // no monitor was looking
	EyeTampered    = "tampered"     // the log is not what was sealed, or breaks a rule
	EyeStuck       = "stuck"        // an episode: busy, and not advancing
	EyeStalled     = "stalled"      // an episode: silent
	EyeTimeout     = "timeout"      // beyond max_runtime
	EyeFailed      = "failed"       // a run ended badly
	EyeGaveUp      = "gave-up"      // a run was not continued any more
	EyeRefused     = "refused"      // writes of workers that had been replaced
	EyeDead        = "dead-letter"  // a signal that reached nobody
	EyeNotReviewed = "not-reviewed" // done, and nobody said that it is right
	EyeDisk        = "disk"         // little space is left
)

// Eye is one thing of the night that needs eyes.
type Eye struct {
	Kind  string `json:"kind"` // one of the Eye… constants
	Level Level  `json:"level"`
	// Run and Family are empty for what is about no one run.
	Run    string `json:"run"`
	Family string `json:"family"`
	// From and To are when it lasted. To is null while it has not ended, Open.
	From Instant `json:"from"`
	To   Instant `json:"to"`
	Open bool    `json:"open"`
	// Count is how many there are of it: refused writes, runs, findings; else 1.
	Count int64 `json:"count"`
	// Title says it in one line, without the name of the run; Evidence are the
	// facts behind it, a sentence each.
	Title    string   `json:"title"`
	Evidence []string `json:"evidence"`
	// Command shows more of it, as a shell takes it.
	Command string `json:"command"`
	// Lane is the course of the run over the period: nil for what is about no
	// run, for kinds that are no trouble of its course, for all but the first
	// Eye of a run, and beyond the first LanesAtMost runs.
	Lane *Lane `json:"lane"`
}

// LanesAtMost is how many runs have a lane.
const LanesAtMost = 40

// Family is what the runs of one family did in the period.
type Family struct {
	Family    string   `json:"family"`
	Runs      int64    `json:"runs"` // with a row in the period
	Started   int64    `json:"started"`
	Takeovers int64    `json:"takeovers"` // epochs begun after the first: respawns and takeovers
	Outcomes  Outcomes `json:"outcomes"`

	Steps Quantiles `json:"steps"` // how long the steps took that became done
	// Attempts that failed, and steps that became done after more than one
	// attempt.
	FailedAttempts int64  `json:"failed_attempts"`
	RetriedSteps   int64  `json:"retried_steps"`
	Slowest        []Step `json:"slowest"` // steps, the slowest first

	// Of the time that its runs lived in the period: Advancing is outside of
	// episodes, Silent inside of those that were told, from the last advance on.
	Advancing Length `json:"advancing_s"`
	Silent    Length `json:"silent_s"`

	Episodes []Episode `json:"episodes"`
	// EpisodesLeftOff is how many more there were than are listed.
	EpisodesLeftOff int64       `json:"episodes_left_off"`
	Delay           Quantiles   `json:"delay"` // detection delay of its episodes
	FalseAlarms     FalseAlarms `json:"false_alarms"`
}

// Quantiles are of a set of lengths, by the nearest rank: the quantile q of n
// lengths is the one with the rank ⌈q·n⌉ when they are sorted, the first having
// rank 1. It is one of the lengths, never a mean of two. All are nil when N is
// 0.
type Quantiles struct {
	N   int64   `json:"n"`
	P50 *Length `json:"p50_s"`
	P90 *Length `json:"p90_s"`
	P99 *Length `json:"p99_s"`
	Max *Length `json:"max_s"`
}

// Step is a step that became done in the period.
type Step struct {
	Run  string `json:"run"`
	Step int64  `json:"step"`
	Name string `json:"name"`
	// Took is from where its last attempt began to where it was done.
	Took     Length  `json:"took_s"`
	Attempts int64   `json:"attempts"`
	Done     Instant `json:"done_at"`
}

// The ends of an episode.
const (
	EndRecovered = "recovered" // by an advance
	EndRun       = "end"       // by the end of its run
)

// Episode is an unbroken stretch without an advance that was told as stalled.
type Episode struct {
	Run   string `json:"run"`
	Epoch int64  `json:"epoch"`
	Since int64  `json:"since"` // the event of the last advance: its name
	// State is stalled or stuck, as it was told; Reason says why.
	State  string `json:"state"`
	Reason string `json:"reason"`

	LastAdvance Instant `json:"last_advance_at"`
	Told        Instant `json:"told_at"`  // when it was signalled
	Ended       Instant `json:"ended_at"` // null: not by the end of the period
	EndedBy     string  `json:"ended_by"` // one of the End… constants; empty while it lasts
	// Silence is how long it was silent when it was told, as the judge counts
	// it, and Threshold what it was told by: stall_after, or idle_window for one
	// that was retrying. Delay is the one minus the other, never negative: how
	// late it was told. All are null when the signal does not say them.
	Silence   *Length `json:"silence_s"`
	Threshold *Length `json:"threshold_s"`
	Delay     *Length `json:"delay_s"`
	// Lasted is from the last advance to the end; null while it lasts.
	Lasted    *Length `json:"lasted_s"`
	Escalated bool    `json:"escalated"`
}

// FalseAlarms are the episodes of a family that recovered by themselves, and
// the threshold that would have told none of them.
type FalseAlarms struct {
	Count int64 `json:"count"`
	// Longest is the longest of these silences, StallAfter the next length that
	// people write which is longer: null when there were none.
	Longest    *Length `json:"longest_s"`
	StallAfter *Length `json:"stall_after_s"`
	// Later is how much later the other episodes would have been told with it,
	// and Missed how many of those ended before they would have been told.
	Later  *Length `json:"later_s"`
	Missed int64   `json:"missed"`
}

// Watching says who looked, and when nobody did.
type Watching struct {
	// Known is false when the trail does not keep who looked in the period.
	Known    bool      `json:"known"`
	Monitors []Monitor `json:"monitors"`
	// Watched and Unwatched add up to the period, as far as it has passed.
	Watched   Length   `json:"watched_s"`
	Unwatched Length   `json:"unwatched_s"`
	Gaps      []Gap    `json:"gaps"`  // when no monitor was looking, the oldest first
	Blind     []Gap    `json:"blind"` // when one could not see
	LastLook  *Instant `json:"last_look_at"`
}

// Monitor is a monitor that looked in the period.
type Monitor struct {
	ID       string  `json:"id"`
	Host     string  `json:"host"`
	Started  Instant `json:"started_at"`
	LastLook Instant `json:"last_look_at"`
	Stopped  Instant `json:"stopped_at"` // on purpose; null: it did not say so
	Looks    int64   `json:"looks"`      // since it started
	Missed   int64   `json:"missed"`     // slots without a look
	Interval Length  `json:"interval_s"`
}

// Gap is a stretch of the period, cut to it.
type Gap struct {
	From Instant `json:"from"`
	To   Instant `json:"to"`
	// Open says that it had not ended when the report was made.
	Open   bool   `json:"open"`
	Reason string `json:"reason"`
	Who    string `json:"who"` // the monitor that said it; empty when none did
}

// Outbox is what became of the signals of the period on their way to sinks.
type Outbox struct {
	Delivered int64  `json:"delivered"` // also in the message of another
	Waiting   int64  `json:"waiting"`
	Dead      int64  `json:"dead"`
	Dropped   int64  `json:"dropped"`
	Letters   []Dead `json:"letters"` // the dead ones, the oldest first, a hundred at most
}

// Dead is a signal that was given up.
type Dead struct {
	Delivery int64   `json:"delivery"`
	Sink     string  `json:"sink"`
	Run      string  `json:"run"`
	Signal   string  `json:"signal"`
	Ended    Instant `json:"ended_at"`
	Answer   string  `json:"answer"` // what the sink said last
}

// Integrity says what of the log was verified for this report, and what was
// found. progmon db verify looks at everything.
type Integrity struct {
	Clean bool `json:"clean"`
	// Scope says in a sentence what was looked at.
	Scope string `json:"scope"`
	// FirstEvent to LastEvent were hashed and compared with Seals seals; Rows of
	// them. Unsealed is how many rows of the period no seal covers, Skipped how
	// many were left for db verify because there were too many.
	FirstEvent int64    `json:"first_event"`
	LastEvent  int64    `json:"last_event"`
	Rows       int64    `json:"rows"`
	Seals      int64    `json:"seals"`
	Unsealed   int64    `json:"unsealed"`
	Skipped    int64    `json:"skipped"`
	Findings   []string `json:"findings"`
}

// Disk is what the trail takes, and what is left where it lies.
type Disk struct {
	Database int64 `json:"database_bytes"`
	Log      int64 `json:"wal_bytes"` // of SQLite's write-ahead log
	// Free is what is left on its file system, Size how large that is; nil when
	// this system does not say.
	Free *int64 `json:"free_bytes"`
	Size *int64 `json:"size_bytes"`
}

// Backup is the newest copy that was found of the trail.
type Backup struct {
	// Known is false when none was found; Where says where was looked.
	Known bool     `json:"known"`
	Where []string `json:"where"`
	Path  string   `json:"path"`
	Made  Instant  `json:"made_at"`
	Age   *Length  `json:"age_s"`
}

// String is the level as a word.
func (l Level) String() string {
	switch l {
	case LevelFine:
		return "fine"
	case LevelDegraded:
		return "degraded"
	case LevelBad:
		return "bad"
	case LevelBlind:
		return "blind"
	}
	return fmt.Sprintf("level %d", int(l))
}
