package watch

import (
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// Row is a run as a look judged it.
type Row struct {
	Verdict policy.Verdict
	// The stamps of its rows, as their writers' wall clocks gave them.
	Started, Advanced, LastRow time.Time
	// Files is what its directory says; nil when it has none, or when it was
	// not looked at.
	Files *Files
}

// Told is a signal that a look of this monitor put on record.
type Told struct {
	policy.Signal
	Event int64 // the row of the log
}

// Change is what is new of a run.
type Change struct {
	Row
	// Before is the last verdict on record or of this loop, empty for a run
	// that was not judged before.
	Before policy.State
	Reason string // of Before
	Told   []Told
}

// IsNew reports whether the verdict is another than before, and not only a
// signal was told.
func (c Change) IsNew() bool {
	return c.Before != c.Verdict.State || c.Reason != c.Verdict.Reason
}

// Sight is what a monitor that could not see, or sees again, has to say.
type Sight struct {
	Reason string // one of the reasons to be blind
	Detail string
	Since  time.Time     // wall clock
	For    time.Duration // awake time
	Looks  int64         // how many looks were blind, this one too
}

// Back is a root that could not be read, and can be.
type Back struct {
	Root   string
	Reason string        // why it could not
	For    time.Duration // awake time
	Looks  int64         // how many looks were blind to it
}

// Report is one look. It holds only until the next one.
type Report struct {
	At     time.Time    // wall clock, UTC
	Clock  cursor.Clock // of the look; the zero Clock when it was blind
	First  bool         // the first look of this loop that saw anything
	Known  bool         // a monitor looked before: what it knew is not new
	Looks  int64        // of this loop
	Missed int64        // slots just before this look at which there was none

	Changes []Change
	Blind   *Sight // this look could not see
	Sighted *Sight // this look sees again, after that
	// Back are the roots that can be read again, each told once.
	Back []Back
	// Unrecorded says why the look could not be put on record, though the trail
	// can be read: nil when it was. Nothing is signalled then.
	Unrecorded error

	Absent   []Other // monitors that were found gone
	Returned []Other // and those of them that look again, or ended on purpose

	// Rows gives every run that has not ended, worst first, judged as of the
	// last look that saw.
	Rows func() []Row
	Ends []Row // the runs that were seen to end, the last one first, at most 20
}
