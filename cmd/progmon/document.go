package main

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// The documents that looking commands print with --json. Fields are only ever
// added. What is not known is null; instants are RFC 3339 in UTC to the
// millisecond, lengths of time are seconds.

// statusDoc is the answer of status.
type statusDoc struct {
	Schema  int        `json:"schema"` // 1
	At      string     `json:"at"`
	Monitor monitorDoc `json:"monitor"`
	// Worst is the state that needs a person most; null when there is no run.
	Worst *policy.State `json:"worst"`
	Blind []blindDoc    `json:"blind"`
	Runs  []runDoc      `json:"runs"` // worst first
}

// monitorDoc is who watches the trail.
type monitorDoc struct {
	State *string  `json:"state"` // live, late or never; null when the trail cannot be read
	Age   *float64 `json:"age_s"` // of the last look
	// Stopped says that the last monitor ended on purpose.
	Stopped  bool     `json:"stopped"`
	ID       *string  `json:"id"`
	Looks    *int64   `json:"looks"`
	Missed   *int64   `json:"missed"`
	Interval *float64 `json:"interval_s"`
	Since    *string  `json:"blind_since"` // since when part of the trail could not be read
}

// blindDoc is something that cannot be read: the trail, or a run.
type blindDoc struct {
	Source string `json:"source"` // the database file, or the run
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// runDoc is a run with the verdict on it.
type runDoc struct {
	Run    string       `json:"run"`
	Family *string      `json:"family"`
	State  policy.State `json:"state"`
	Reason string       `json:"reason"` // empty when the state says all
	Detail string       `json:"detail"` // one sentence, for a person
	Epoch  *int64       `json:"epoch"`

	Position  *int64 `json:"position"`
	Total     *int64 `json:"total"` // null: no bound is known
	Open      bool   `json:"open"`  // the total may honestly grow
	Remaining *int64 `json:"remaining"`
	Frontier  *int64 `json:"frontier"` // steps 1 to here are terminal: resume after it

	Silence *float64 `json:"silence_s"` // null once the run has ended
	Elapsed *float64 `json:"elapsed_s"` // awake time; of a run that ended, from its first row to its last
	Rows    *int64   `json:"rows_since_advance"`
	Failed  *int64   `json:"failed_since_advance"`

	Started      *string `json:"started_at"`
	LastAdvance  *string `json:"last_advance_at"`
	LastActivity *string `json:"last_activity_at"`
	// NextChange is when time alone could next change the verdict.
	NextChange *string `json:"next_change_at"`

	Presence *cursor.Presence `json:"presence"` // null: the run has no process
	Evidence string           `json:"evidence"` // rows, or activity
	// Episode names the stretch without an advance that the run is in, by the
	// event of its last advance; null while it moves, and once it has ended.
	Episode *int64 `json:"episode"`
	// Signalled says that the episode was told as stalled.
	Signalled  bool     `json:"signalled"`
	InRotation bool     `json:"in_rotation"`
	Hold       *holdDoc `json:"hold"` // the wait in force
	Exit       *exitDoc `json:"exit"`
	Refused    int64    `json:"refused"` // writes that the fence refused

	// Of its log: the bytes it has, those written since the last advance and at
	// how many looks of a monitor it had grown since; null where none was seen.
	LogBytes  *int64  `json:"log_bytes"`
	LogSince  *int64  `json:"log_bytes_since_advance"`
	LogLooks  *int64  `json:"log_looks_since_advance"`
	Heartbeat *string `json:"heartbeat_at"`
	// Wrapper is the presence of the process that will write the exit record.
	Wrapper *cursor.Presence `json:"wrapper"`
	Root    *string          `json:"root"`  // in which its directory was looked at
	Notes   []string         `json:"notes"` // on its directory, for a person

	Policy policyDoc `json:"policy"`
}

// policyDoc is the thresholds in force, and where they came from.
type policyDoc struct {
	policy.Policy
}

// MarshalJSON is the record form of the thresholds with one field more, from.
func (p policyDoc) MarshalJSON() ([]byte, error) {
	record := p.AppendRecord(nil)
	from, err := json.Marshal(p.From)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"from":`), from, []byte{','}, record[1:]), nil
}

type holdDoc struct {
	Until  string `json:"until"`
	Reason string `json:"reason"`
}

type exitDoc struct {
	Code    *int   `json:"code"`
	Signal  *int   `json:"signal"`
	Reason  string `json:"reason"` // spawn or malformed, else empty
	AskedBy string `json:"asked_by"`
}

// document is the picture for a machine.
func (p *picture) document() statusDoc {
	d := statusDoc{Schema: 1, At: rfc3339(p.at), Blind: []blindDoc{}, Runs: make([]runDoc, 0, len(p.rows))}
	if worst := p.worst(); worst != "" {
		d.Worst = &worst
	}
	if p.blind != nil {
		d.Blind = append(d.Blind, blindDoc{p.source, p.blind.Reason, p.blind.Detail})
		return d
	}
	if !p.noTrail {
		d.Monitor = documentMonitor(p.watched)
	}
	for i := range p.rows {
		v := &p.rows[i].Verdict
		if v.State == policy.Blind {
			d.Blind = append(d.Blind, blindDoc{v.Reading.Run, v.Reason, v.Reading.Blind.Detail})
		}
		d.Runs = append(d.Runs, documentRun(&p.rows[i], p.clock))
	}
	return d
}

func documentMonitor(w store.Watched) monitorDoc {
	d := monitorDoc{State: &w.State}
	if w.State == store.MonitorNever {
		return d
	}
	d.Age, d.Stopped, d.ID = seconds(w.Age), w.Stopped, &w.Best.ID
	d.Looks, d.Missed, d.Interval = &w.Best.Looks, &w.Best.Missed, seconds(w.Best.Interval)
	d.Since = instant(w.Best.Blind)
	return d
}

func documentRun(row *watch.Row, clock cursor.Clock) runDoc {
	v, r := &row.Verdict, &row.Verdict.Reading
	d := runDoc{Run: r.Run, State: v.State, Reason: v.Reason, Detail: v.Detail, Evidence: "rows",
		InRotation: v.InRotation(), Policy: policyDoc{v.Policy}}
	if r.Activity {
		d.Evidence = "activity"
	}
	if r.Family != "" {
		d.Family = &r.Family
	}
	documentFiles(&d, row)
	if v.State == policy.Blind && r.Epoch == 0 {
		return d
	}
	if !r.Activity {
		d.Epoch, d.Position, d.Frontier = &r.Epoch, &r.Position, &r.Frontier
		d.Rows, d.Failed, d.LogLooks = &r.Rows, &r.Failed, &r.Growth
		if row.Files != nil {
			d.LogSince = &r.Bytes
		}
	}
	if b := r.Bound(); b.Known {
		left := r.Remaining()
		d.Total, d.Remaining, d.Open = &b.N, &left, b.Open
	}
	d.Open = d.Open || r.Total.Open
	d.Refused = r.Refused
	d.Started, d.LastAdvance, d.LastActivity = instant(row.Started), instant(row.Advanced), instant(lastActivity(row))
	d.Elapsed = seconds(elapsed(row))
	if !v.State.Ended() {
		d.Silence = seconds(v.Silence)
		d.Signalled = r.Told || r.Carried
		if (!d.InRotation || v.State.Still()) && !r.Activity {
			d.Episode = &v.Since
		}
		if !v.Next.IsZero() {
			d.NextChange = instant(clock.Wall(v.Next))
		}
	}
	if r.Process {
		d.Presence = &r.Presence
	}
	if v.State == policy.Waiting {
		d.Hold = &holdDoc{rfc3339(clock.Wall(r.Hold.Until)), r.Hold.Why}
	}
	if x := r.Exit; x.Known {
		d.Exit = &exitDoc{Reason: x.Reason, AskedBy: x.AskedBy}
		switch {
		case x.Signal != 0:
			d.Exit.Signal = &x.Signal
		case x.Reason == "":
			d.Exit.Code = &x.Code
		}
	}
	return d
}

// documentFiles adds what the directory of a run says.
func documentFiles(d *runDoc, row *watch.Row) {
	d.Notes = []string{}
	f := row.Files
	if f == nil {
		return
	}
	d.Root, d.Notes, d.Heartbeat = &f.Root, append(d.Notes, f.Notes...), instant(f.Beat)
	if f.Log {
		d.LogBytes = &f.LogSize
	}
	if f.Wrapper != cursor.NoProcess {
		d.Wrapper = &f.Wrapper
	}
}

// lastActivity is when a run last did anything: its last row, or the last
// growth of its log.
func lastActivity(row *watch.Row) time.Time {
	if f := row.Files; f != nil && f.Log && f.LogAt.After(row.LastRow) && !row.Verdict.Reading.Activity {
		return f.LogAt
	}
	return row.LastRow
}

// elapsed is how long a run took, or takes.
func elapsed(row *watch.Row) time.Duration {
	if row.Verdict.State.Ended() {
		return max(row.LastRow.Sub(row.Started), 0)
	}
	return row.Verdict.Elapsed
}

// rfc3339 writes an instant for a machine. A year that JSON cannot hold is
// brought to the nearest that it can.
func rfc3339(t time.Time) string {
	t = t.UTC()
	if year := t.Year(); year > 9999 || year < 0 {
		t = time.UnixMilli(253402300799999).UTC()
	}
	return t.Format("2006-01-02T15:04:05.000Z07:00")
}

// instant is rfc3339, or null for no instant.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := rfc3339(t)
	return &s
}

// seconds is d to the millisecond.
func seconds(d time.Duration) *float64 {
	s := float64(d.Milliseconds()) / 1000
	return &s
}
