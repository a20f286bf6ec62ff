package rundir

import (
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

// Look is with what a directory is looked at.
type Look struct {
	// Clock says where the awake timeline stands now, and what the wall clock
	// says.
	Clock cursor.Clock
	// Grace is vanish_grace: from the process being gone to nobody expecting a
	// record any more.
	Grace time.Duration
	// Once says that no other look will follow. What a first look cannot know,
	// it then takes from the stamps of the files: since when a process is gone,
	// and when the log was last written to. A loop leaves it false: it begins
	// with a fresh window and counts what it observes.
	Once bool
	// Prober says who is there; presence.System in earnest.
	Prober presence.Prober
}

// Evidence is what a directory proves at one look. Instants without Wall in
// their name lie on the awake timeline. Text in it is safe to print.
type Evidence struct {
	// Exit is the record of the epoch, or what stands for it: the reasons
	// malformed and no-evidence. Record is the file, when it could be read.
	Exit   cursor.Exit
	Record Exit
	// Presence is the command's. It is Gone when a good record says so, and
	// NoProcess when no worker.pid of this epoch was ever seen.
	Presence cursor.Presence
	// GoneSince is when the process was first seen gone with no record; vanished
	// follows after vanish_grace. It is that far back already when whoever would
	// write the record is gone too.
	GoneSince time.Time
	// HasPID says that worker.pid names somebody of this epoch: PID. For a run
	// with rows, none means vanished after start_within. It need not be read
	// where a record says it all.
	HasPID bool
	PID    PID
	// Wrapper is the presence of the one who will write the record, Unknown
	// when the directory does not say who that is. It is not asked for once
	// there is a record.
	Wrapper cursor.Presence

	// Family is what worker.cmd says. Of a run with rows it is not read.
	Family string

	Started      time.Time // the process, or the first that is known of the directory
	LastActivity time.Time // the last growth of the log; zero: no log yet
	Grown        int64     // bytes that the log grew by since the look before
	LogSize      int64
	Log          bool // there is a log
	LogWall      time.Time
	HeartbeatAt  time.Time // last beat; zero: never
	BeatWall     time.Time

	// Notes are remarks for a person, about files that could not be used and
	// stamps that cannot be.
	Notes []string
	// Blind says that the directory cannot be read. What else is here was read
	// before that.
	Blind cursor.Blindness
}

// Pending reports whether the process is gone and its record may still come:
// another look after the grace knows more.
func (e *Evidence) Pending(l Look) bool {
	return !e.Exit.Known && !e.GoneSince.IsZero() && l.Clock.Now().Sub(e.GoneSince) < l.Grace
}

// Fill puts what the directory proves into the reading of a run with rows. A
// record that the rows have already stays.
func (e *Evidence) Fill(r *cursor.Reading) {
	r.Process = true
	r.Presence, r.GoneSince = e.Presence, e.GoneSince
	if !r.Exit.Known {
		r.Exit = e.Exit
	}
}

// FillActivity makes the reading of a directory without rows: it is judged by
// its activity alone. Growth of the log stands for an advance, so that a live
// process without a log is starting, and one whose log is still stalls.
func (e *Evidence) FillActivity(r *cursor.Reading) {
	e.Fill(r)
	r.Activity, r.Epoch, r.Family = true, e.PID.Epoch, e.Family
	r.StartedAt, r.EpochAt = e.Started, e.Started
	r.EpochMoved = e.LogSize > 0 || e.LastActivity.After(e.Started)
	if r.EpochMoved {
		r.AdvancedAt, r.LastRowAt = e.LastActivity, e.LastActivity
	}
	if e.Blind.Reason != "" {
		r.Blind = e.Blind
	}
}

// Memory is what a looker keeps of one directory from look to look. The zero
// value has not looked. It is for one epoch at a time: another one begins anew
// by itself.
type Memory struct {
	looked  bool
	epoch   int64
	who     presence.Identity // pinned, so that a bare number cannot be recycled
	written time.Time         // the stamp of the worker.pid that named who
	since   time.Time         // gone, or nobody named, with no record
	started time.Time
	log     growth
	active  time.Time
	family  string
	named   bool // family was read, or there is none to come
}

// Evidence looks at the directory for the record of an epoch, 0 for whatever
// epoch the directory itself says. The order is that of the package comment.
func (r *Reader) Evidence(epoch int64, l Look, m *Memory) Evidence {
	var e Evidence
	if !m.looked || m.epoch != epoch {
		*m = Memory{looked: true, epoch: epoch}
	}
	s := scene{r: r, l: l, m: m, e: &e, epoch: epoch}
	found := recordAbsent
	if epoch > 0 {
		found = s.record()
	}
	if found != recordGood {
		s.identity()
	}
	if epoch == 0 {
		found = s.record() // only worker.pid says which epoch the directory is in
	}
	if found != recordGood {
		s.presence(found)
	} else {
		s.author()
	}
	s.activity()
	if epoch == 0 {
		if !m.named {
			m.family, m.named = r.Family()
			m.named = m.named || e.HasPID || e.Exit.Known
		}
		e.Family = m.family
	}
	return e
}
