package watch

import (
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// revisited is how many directories that ended are looked at again at each
// look, in turn: somebody may begin anew in one.
const revisited = 16

// plain is a directory without rows.
type plain struct {
	id     string
	judged bool
	row    Row
	stamp  time.Time // of the directory, when it had ended
}

// plainVisits are the directories without rows that are to be looked at: those
// that have not ended, and a few of those that have.
func (d *Roots) plainVisits(grace time.Duration) []*visit {
	var visits []*visit
	for id, p := range d.plain {
		if !p.judged || !p.row.Verdict.State.Ended() {
			visits = append(visits, &visit{id: id, grace: grace})
		}
	}
	for range min(revisited, len(d.next)) {
		id := d.next[0]
		d.next = d.next[1:]
		if p := d.plain[id]; p != nil && p.judged && p.row.Verdict.State.Ended() {
			visits = append(visits, &visit{id: id, grace: grace, unless: p.stamp})
			d.next = append(d.next, id)
		}
	}
	slices.SortFunc(visits, func(a, b *visit) int { return strings.Compare(a.id, b.id) })
	return visits
}

// judgePlain judges the directories without rows that were seen.
func (d *Roots) judgePlain(in Inspection, visits map[string]*visit, clock cursor.Clock) {
	for _, v := range visits {
		p := d.plain[v.id]
		if p == nil || !v.seen || !v.unless.IsZero() && v.stamp.Equal(v.unless) {
			continue
		}
		reading := cursor.Reading{Run: v.id}
		v.evidence.FillActivity(&reading)
		row := Row{Verdict: in.Thresholds(reading.Family, nil).Judge(reading, clock.Now()), Files: d.filesOf(v)}
		if !v.evidence.Started.IsZero() {
			row.Started = clock.Wall(v.evidence.Started)
			row.LastRow = row.Started
		}
		if !v.evidence.LastActivity.IsZero() {
			row.LastRow = clock.Wall(v.evidence.LastActivity)
		}
		c := Change{Row: row}
		ended := false
		if p.judged {
			c.Before, c.Reason = p.row.Verdict.State, p.row.Verdict.Reason
			ended = c.Before.Ended()
		}
		p.row, p.judged, p.stamp = row, true, v.stamp
		if row.Verdict.State.Ended() {
			delete(d.where[v.id].memories, v.id)
			if !ended {
				d.next = append(d.next, v.id)
			}
		}
		if c.IsNew() || row.Verdict.State == policy.Blind {
			d.news = append(d.news, c)
		}
	}
	for _, id := range d.lost {
		r := cursor.Reading{Run: id, Activity: true, Blind: cursor.Blindness{
			Reason: store.BlindNoTrail, Detail: "its directory is not there any more"}}
		d.news = append(d.news, Change{Row: Row{Verdict: in.Thresholds("", nil).Judge(r, clock.Now())}})
	}
	d.lost = nil
	slices.SortFunc(d.news, func(a, b Change) int { return strings.Compare(a.Verdict.Reading.Run, b.Verdict.Reading.Run) })
}

// Shut reports whether there is something that cannot be read.
func (d *Roots) Shut() bool { return d != nil && len(d.shut) > 0 }

// forget has every directory looked at as if for the first time: the timeline
// that it was placed on is another.
func (d *Roots) forget() {
	if d == nil {
		return
	}
	for _, r := range d.roots {
		if !r.busy() {
			clear(r.memories)
		}
	}
}

// Plain are the directories without rows, the ended ones too, and what cannot
// be read, judged as of the last look. Those of a root that cannot be read are
// not among them: nothing is known of them but the root's own row.
func (d *Roots) Plain(clock cursor.Clock, thresholds policy.Policy) []Row {
	if d == nil {
		return nil
	}
	var rows []Row
	for id, p := range d.plain {
		if r := d.where[id]; p.judged && r != nil && r.blind.Reason == "" {
			row := p.row
			row.Verdict = row.Verdict.Policy.Judge(row.Verdict.Reading, clock.Now())
			rows = append(rows, row)
		}
	}
	for e := range d.said {
		rows = append(rows, shutRow(e, thresholds, clock))
	}
	return rows
}
