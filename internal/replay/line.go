package replay

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// The kinds of lines that are no rows of a run's cursor.
const (
	Activity = "activity"
	Vanished = "run.vanished"
	Blind    = "monitor.blind"
	Sighted  = "monitor.sighted"
	Gap      = "monitor.gap"
	Suspend  = "suspend"
	Wall     = "wall"
	End      = "end"
)

// Line is one thing that happened.
type Line struct {
	Number int           // of the line in its file, from 1; 0: from no file
	At     time.Duration // tape time
	Kind   string
	Run    string
	Family string // run.started
	// Process says, of run.started, whether the run has one.
	Process bool
	Bytes   int64         // activity
	For     time.Duration // monitor.gap, suspend
	Step    time.Duration // wall
	Reason  string        // monitor.blind
	// Event is the row, for those that are one. Its Epoch of 0 is the run's at
	// that time, and its AtMS of 0 what the tape's wall clock shows.
	Event cursor.Event
	// keepTotal and keepOpen say, of run.total, what it does not name.
	keepTotal, keepOpen bool
}

// isRow says that a line of the kind would be a row of the log.
func isRow(kind string) bool {
	switch kind {
	case Activity, Vanished, Blind, Sighted, Gap, Suspend, Wall, End:
		return false
	}
	return true
}

// ofRun says that a line of the kind is about a run.
func ofRun(kind string) bool { return isRow(kind) || kind == Activity || kind == Vanished }
