package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Look is what a look found, to be put on record.
type Look struct {
	// Monitor is who looked. Looks is how many of its looks are on record,
	// LastEvent the newest row that the last of them saw, and Missed counts the
	// slots since then at which it did not look. Boot, LastLook, LastMono and
	// Stopped are not asked for.
	Monitor MonitorRow
	Found   Found
	Judged  []Judged
	// Blindness is what the log must still be told of when this monitor could
	// not see.
	Blindness []Blindness
}

// Judged is a run with what was thought of it.
type Judged struct {
	Run *Sighting // as Look found it
	// Changed says that the verdict or the judge's own memory is another than
	// the one on record. Without it nothing but landmarks is written.
	Changed bool
	// Still says that the verdict accuses the run of not having advanced: it
	// falls when the run has, by the time it is recorded.
	Still   bool
	Verdict Memory // State, Reason, Since and Data, to be remembered
	Signals []Signal

	// Moved is set by RecordLook: what the verdict rests on, or what monitors
	// remember of the run, was not any more what the look had read. Nothing was
	// recorded of the run, and it is to be judged again.
	Moved bool
}

// Signal is an edge of an episode. It is recorded once for all monitors.
type Signal struct {
	Kind  string // signal.stalled, …, or pinged
	Epoch int64
	// Since is the episode. RecordLook sets it to the one that the row names:
	// what does not rest on silence may come when the run has advanced again.
	Since  int64
	Reason string
	Data   []byte // JSON

	// Event is set by RecordLook: the row of the log, when it is this look that
	// wrote it, else 0.
	Event int64
}

// Blindness is a row of the log about the monitor's own sight.
type Blindness struct {
	At     time.Time
	Reason string
	// Lasted, when it is over, is how long it was.
	Over   bool
	Lasted time.Duration
}

// RecordLook puts a look on record, in one transaction: where the awake clock
// stands, that the monitor looked, and of the runs judged what changed. It sets
// Moved and Event in look.Judged. A verdict and its signals are written only if
// what it rests on still stands, and no other monitor spoke of the run since the
// look read it; of two monitors that say the same at once one is heard.
func (s *Store) RecordLook(ctx context.Context, look *Look) error {
	err := s.write(ctx, func(t *tx) error {
		if len(look.Judged) == 0 && len(look.Blindness) == 0 {
			return look.record(t)
		}
		return t.atomic(func() error { return look.record(t) })
	})
	if err != nil {
		return fmt.Errorf("record the look of monitor %q: %w", look.Monitor.ID, err)
	}
	return nil
}

// recorder is the transaction that a look is recorded in.
type recorder interface {
	exec(name string, args ...arg) (int64, error)
	one(name string, fn func(row []value), args ...arg) (found bool, err error)
	atomic(fn func() error) error
}

func (look *Look) record(t recorder) error {
	// The clock first: where it stands bounds the landmarks.
	if err := look.clock(t); err != nil {
		return err
	}
	moved := false
	for i := range look.Judged {
		j := &look.Judged[i]
		j.Moved = false
		if !j.Changed {
			continue
		}
		err := t.atomic(func() error { return look.judged(t, j) })
		if err != nil && lost(err) {
			return err
		}
		// A rule that forbids to record one run must not silence the others.
		j.Moved = j.Moved || err != nil
		moved = moved || j.Moved
	}
	if err := look.deliveries(t); err != nil {
		return err
	}
	if err := look.landmarks(t); err != nil {
		return err
	}
	for _, b := range look.Blindness {
		kind, lasted := "monitor.blind", value(nil)
		if b.Over {
			kind, lasted = "monitor.sighted", b.Lasted.Milliseconds()
		}
		_, err := t.exec("record_blindness", arg{"at_ms", b.At.UnixMilli()}, arg{"kind", kind},
			arg{"for_ms", lasted}, arg{"reason", b.Reason}, arg{"who", look.Monitor.ID})
		if err != nil {
			return err
		}
	}
	return look.looked(t, moved)
}

// judged records the verdict on one run, and its signals.
func (look *Look) judged(t recorder, j *Judged) error {
	r := &j.Run.Reading
	was := &j.Run.Memory
	at := look.Found.Clock.Instant().Wall.UnixMilli()
	n, err := t.exec("record_verdict",
		arg{"run_id", r.Run}, arg{"epoch", r.Epoch}, arg{"still", flag(j.Still)}, arg{"advance_event", idOrNull(r.AdvanceEvent)},
		arg{"exit_event", idOrNull(r.Exit.Event)}, arg{"cancelled", flag(r.Cancelled)},
		arg{"state", j.Verdict.State}, arg{"reason", j.Verdict.Reason}, arg{"since", j.Verdict.Since},
		arg{"at_ms", at}, arg{"awake_ms", cursor.Awake(look.Found.Clock.Now()).Milliseconds()},
		arg{"seen", look.Found.Newest}, arg{"data", textOrNull(j.Verdict.Data)},
		arg{"read_seen", was.seen.value()}, arg{"read_at_ms", was.atMS.value()}, arg{"read_awake_ms", was.awakeMS.value()})
	if err != nil {
		return err
	}
	if n == 0 {
		j.Moved = true
		return nil
	}
	for i := range j.Signals {
		sig := &j.Signals[i]
		sig.Event = 0
		_, err := t.one("record_signal", func(row []value) { sig.Event, sig.Since = whole(row[0]), whole(row[1]) },
			arg{"at_ms", at}, arg{"run_id", r.Run}, arg{"epoch", sig.Epoch}, arg{"kind", sig.Kind},
			arg{"since", sig.Since}, arg{"reason", sig.Reason}, arg{"data", textOrNull(sig.Data)})
		if err != nil {
			return fmt.Errorf("%s of run %q: %w", sig.Kind, r.Run, err)
		}
	}
	return nil
}

func idOrNull(id int64) value {
	if id == 0 {
		return nil
	}
	return id
}

func textOrNull(b []byte) value {
	if b == nil {
		return nil
	}
	return string(b)
}

// landmarks puts on record where the events lie that something is counted
// from now, and drops those of which that is over.
func (look *Look) landmarks(t recorder) error {
	var fresh [][3]any
	var stale []int64
	for _, j := range look.Judged {
		for _, m := range j.Run.fresh {
			fresh = append(fresh, [3]any{m.event, j.Run.Reading.Run, m.awake.Milliseconds()})
		}
		stale = append(stale, j.Run.stale...)
	}
	for _, each := range []struct {
		statement, name string
		list            any
		empty           bool
	}{
		// One that lies ahead is dropped and set again.
		{"drop_landmarks", "events", stale, len(stale) == 0},
		{"record_landmarks", "landmarks", fresh, len(fresh) == 0},
	} {
		if each.empty {
			continue
		}
		list, err := json.Marshal(each.list)
		if err != nil {
			return fmt.Errorf("encode %s: %w", each.name, err)
		}
		if _, err := t.exec(each.statement, arg{each.name, string(list)}); err != nil {
			return err
		}
	}
	return nil
}

// clock moves the awake clock to where the look found it.
func (look *Look) clock(t recorder) error {
	now := look.Found.Clock.Instant()
	at := []arg{{"boot", now.Boot}, {"wall_ms", now.Wall.UnixMilli()}, {"mono_ms", now.Mono.Milliseconds()},
		{"awake_ms", cursor.Awake(look.Found.Clock.Now()).Milliseconds()}, {"event", look.Found.Newest}}
	n, err := t.exec("record_clock", at...)
	if err == nil && n == 0 {
		_, err = t.exec("begin_clock", at...)
	}
	return err
}

// looked records the look itself. When a run moved under it the monitor has
// not seen all rows yet, and whoever goes on after it must look at them again.
func (look *Look) looked(t recorder, moved bool) error {
	now, m := look.Found.Clock.Instant(), &look.Monitor
	seen := look.Found.Newest
	if moved {
		seen = m.LastEvent
	}
	wall, mono := arg{"wall_ms", now.Wall.UnixMilli()}, arg{"mono_ms", now.Mono.Milliseconds()}
	boot := arg{"boot", now.Boot}
	blind := value(nil)
	reason := value(nil)
	if !m.Blind.IsZero() {
		blind, reason = m.Blind.UnixMilli(), m.BlindTo
	}
	_, err := t.exec("record_monitor", boot, wall, mono,
		arg{"id", m.ID}, arg{"host", m.Host}, arg{"pid", m.PID}, arg{"started_ms", m.Started.UnixMilli()},
		arg{"interval_ms", m.Interval.Milliseconds()}, arg{"late_ms", m.LateAfter.Milliseconds()},
		arg{"missed", m.Missed}, arg{"event", seen}, arg{"blind_ms", blind}, arg{"blind_reason", reason})
	if err == nil && m.Looks == 0 {
		_, err = t.exec("forget_monitors")
	}
	return err
}

// StopMonitor records that a monitor ends on purpose.
func (s *Store) StopMonitor(ctx context.Context, id string) error {
	err := s.write(ctx, func(t *tx) error {
		_, err := t.exec("stop_monitor", arg{"id", id}, arg{"wall_ms", s.opt.now().Wall.UnixMilli()})
		return err
	})
	if err != nil {
		return fmt.Errorf("record that monitor %q stopped: %w", id, err)
	}
	return nil
}
