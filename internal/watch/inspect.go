package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Files is what the directory of a run says, beside what it proves.
type Files struct {
	Root string
	// Wrapper is the presence of the process that will write the exit record;
	// Unknown when nobody says who that is.
	Wrapper cursor.Presence
	Log     bool
	LogSize int64     // bytes
	LogAt   time.Time // when the log last grew, as its stamp says: wall clock
	Beat    time.Time // the last heartbeat: wall clock; zero: never
	Notes   []string  // remarks for a person, safe to print
}

// Inspection is with what the directories are looked at.
type Inspection struct {
	// Trail is read again for the runs that end by what their files say; nil
	// when there is none.
	Trail interface {
		Look(context.Context, store.Ask) (store.Found, error)
	}
	Charge     func(anchor time.Duration, now cursor.Instant) time.Duration
	Thresholds func(family string, recorded []byte) policy.Policy
	// Once says that no other look follows: see rundir.Look.
	Once bool
	// Only names the runs that were asked for; nil is all of them.
	Only []string
}

// Inspect puts what their directories say into the readings that were found,
// and takes those out that are of a directory without rows: it judges them
// itself. Rows read before the files may be older than an end that the files
// tell of, so those of a run that ended are read again.
func (d *Roots) Inspect(ctx context.Context, in Inspection, found *store.Found) error {
	if d == nil {
		for i := range found.Runs {
			stays(&found.Runs[i])
		}
		return nil
	}
	d.news, d.files = d.news[:0], map[string]*Files{}
	d.sort(in, found)
	visits := map[string]*visit{}
	var order []*visit
	add := func(v *visit) { visits[v.id], order = v, append(order, v) }
	for i := range found.Runs {
		s := &found.Runs[i]
		if r := &s.Reading; r.Process && !r.Exit.Known && !r.Cancelled && r.Blind.Reason == "" && d.has(r.Run) {
			add(&visit{id: r.Run, epoch: r.Epoch, grace: in.Thresholds(r.Family, s.Thresholds).VanishGrace})
		}
	}
	thresholds := in.Thresholds("", nil)
	for _, v := range d.plainVisits(thresholds.VanishGrace) {
		add(v)
	}
	d.visit(ctx, found.Clock, in.Once, order)

	var ends []string
	for i := range found.Runs {
		s := &found.Runs[i]
		if v := visits[s.Reading.Run]; v != nil && v.seen {
			d.hear(s, v)
			d.fill(s, v, in, found.Clock)
			if s.Reading.Exit.Known || s.Reading.Presence == cursor.Gone {
				ends = append(ends, s.Reading.Run)
			}
		} else if v != nil {
			d.files[s.Reading.Run] = d.unseen(s.Reading.Run)
		}
		stays(s)
	}
	if len(ends) > 0 && in.Trail != nil {
		again, err := in.Trail.Look(ctx, store.Ask{Runs: ends, Charge: in.Charge})
		if err != nil {
			return err
		}
		at := make(map[string]int, len(found.Runs))
		for i := range found.Runs {
			at[found.Runs[i].Reading.Run] = i
		}
		for i := range again.Runs {
			s := &again.Runs[i]
			if v := visits[s.Reading.Run]; s.Reading.Epoch == v.epoch {
				d.fill(s, v, in, found.Clock)
			}
			stays(s)
			found.Runs[at[s.Reading.Run]] = *s
		}
	}
	d.judgePlain(in, visits, found.Clock)
	d.judgeShut(in, found.Clock, thresholds)
	return nil
}

// sort tells the directories of runs with rows from those without, and takes
// the latter out of what was found.
func (d *Roots) sort(in Inspection, found *store.Found) {
	mayBePlain := func(id string) bool {
		r := d.where[id]
		return r != nil && r.named && !d.rows[id]
	}
	found.Runs = slices.DeleteFunc(found.Runs, func(s store.Sighting) bool {
		id := s.Reading.Run
		if s.Reading.Blind.Reason == store.BlindNoTrail {
			return mayBePlain(id) && (in.Only == nil || slices.Contains(in.Only, id))
		}
		if d.has(id) {
			d.rows[id] = true
			delete(d.fresh, id)
			delete(d.plain, id)
		}
		return false
	})
	for id, asked := range d.fresh {
		switch {
		case in.Only != nil && !slices.Contains(in.Only, id):
		case in.Once || asked > 0 || in.Trail == nil || d.said == nil:
			delete(d.fresh, id)
			d.plain[id] = &plain{id: id}
		default:
			// A wrapper makes the directory first and the rows a moment later.
			d.fresh[id]++
		}
	}
}

// fill puts what was seen of a directory into the reading of a run with rows.
func (d *Roots) fill(s *store.Sighting, v *visit, in Inspection, clock cursor.Clock) {
	r, e, now := &s.Reading, &v.evidence, clock.Now()
	d.files[r.Run] = d.filesOf(v)
	if recording(r, e, clock.Instant().Wall) {
		held := *e
		held.Exit, held.Presence, held.GoneSince = cursor.Exit{}, cursor.Alive, time.Time{}
		e = &held
	}
	e.Fill(r)
	nobody := e.Presence == cursor.NoProcess && !r.Exit.Known
	if nobody || e.Blind.Reason != "" && !r.Exit.Known {
		r.Presence, r.GoneSince = cursor.Unknown, time.Time{}
	}
	if nobody && r.Epoch == 1 && !r.EpochMoved && e.Blind.Reason == "" {
		// No command runs before its number is on disk: whoever would have
		// started it is not there any more.
		p := in.Thresholds(r.Family, s.Thresholds)
		if now.Sub(r.EpochAt) >= p.StartWithin {
			r.Presence, r.GoneSince = cursor.Gone, r.EpochAt.Add(p.StartWithin-p.VanishGrace)
		}
	}
	if nobody && e.Wrapper == cursor.Gone && respawned(s) {
		// It vanished after it had taken the run over, and before it began.
		r.Presence, r.GoneSince = cursor.Gone, cursor.At(0)
	}
	if n := d.noise[r.Run]; n != nil && n.Epoch == r.Epoch && n.Since == r.Since() {
		r.Growth, r.Bytes = n.Looks, n.Bytes
	}
}

// recordWithin is how long a wrapper that lives is given to put an end on
// record that its exit record tells of already.
const recordWithin = time.Minute

// recording says that a wrapper is about to say how the run goes on. It writes
// its files first; what it has written so far is half of what it does, and a
// failure that is continued is none to tell of.
func recording(r *cursor.Reading, e *rundir.Evidence, wall time.Time) bool {
	age := wall.Sub(e.Record.Ended)
	return e.Exit.Known && !r.Exit.Known && e.Wrapper == cursor.Alive && !e.Record.Ended.IsZero() && age >= 0 && age < recordWithin
}

// respawned says that a wrapper has taken the run over for its present epoch.
func respawned(s *store.Sighting) bool {
	return slices.ContainsFunc(s.Told, func(t store.Signal) bool {
		return t.Epoch == s.Reading.Epoch && t.Kind == "signal."+policy.SignalRespawned
	})
}

func (d *Roots) filesOf(v *visit) *Files {
	e := &v.evidence
	f := &Files{Root: d.where[v.id].path, Wrapper: e.Wrapper, Log: e.Log, LogSize: e.LogSize, LogAt: e.LogWall, Beat: e.BeatWall, Notes: e.Notes}
	if e.Wrapper == cursor.Gone && (e.Presence == cursor.Alive || e.Presence == cursor.Stopped) {
		f.Notes = append([]string{"its wrapper is gone: no exit record will be written"}, f.Notes...)
	}
	if b := e.Blind; b.Reason != "" {
		f.Notes = append(f.Notes, fmt.Sprintf("its directory cannot be read: %s", b.Detail))
	}
	return f
}

// unseen is for a run whose directory could not be looked at.
func (d *Roots) unseen(run string) *Files {
	r := d.where[run]
	return &Files{Root: r.path, Wrapper: cursor.Unknown, Notes: []string{"its directory was not seen: " + r.blind.Reason + ", " + r.blind.Detail}}
}

// noise is what was heard of a run's log, nil when nothing was.
func (d *Roots) heard(run string) *noise {
	if d == nil {
		return nil
	}
	return d.noise[run]
}

// Of is what the directory of a run said at this look, nil when it was not
// looked at.
func (d *Roots) Of(run string) *Files {
	if d == nil {
		return nil
	}
	return d.files[run]
}

// stays keeps an end that is on record and that nothing seen now speaks
// against: whoever cannot see a process knows no better than whoever could. The
// log must have been told of it, since the memory alone proves nothing.
func stays(s *store.Sighting) {
	r, m := &s.Reading, &s.Memory
	if !r.Process || r.Exit.Known || r.Cancelled || r.Presence != cursor.Unknown ||
		!m.Known || m.Epoch != r.Epoch || m.Since != r.Since() ||
		!slices.ContainsFunc(s.Told, func(t store.Signal) bool { return t.Epoch == r.Epoch && t.Kind == "signal."+m.State }) {
		return
	}
	exit := cursor.Exit{Known: true}
	switch policy.State(m.State) {
	case policy.Done:
	case policy.Cancelled:
		exit.AskedBy = "user"
		exit.Signal = 15 // as progmon stop does
	case policy.Failed:
		switch _, err := fmt.Sscanf(m.Reason, "exit %d", &exit.Code); {
		case err == nil, m.Reason == policy.ReasonShort:
		case m.Reason == policy.ReasonVanished:
			r.Presence, r.GoneSince = cursor.Gone, cursor.At(0)
			return
		default:
			if _, err := fmt.Sscanf(m.Reason, "signal %d", &exit.Signal); err != nil {
				exit.Reason = m.Reason
			}
		}
	default:
		return
	}
	r.Exit = exit
}

// judgeShut judges what is there and can be no run, and the roots that cannot
// be read. It is said at every look.
func (d *Roots) judgeShut(in Inspection, clock cursor.Clock, p policy.Policy) {
	said, roots := map[rundir.Entry]bool{}, map[string]bool{}
	for _, e := range d.shut {
		if in.Only != nil {
			break
		}
		c := Change{Row: shutRow(e, p, clock)}
		if d.said[e] {
			c.Before, c.Reason = policy.Blind, e.Blind.Reason
		}
		said[e] = true
		if e.Run == "" {
			roots[e.Root] = true
			if d.dark[e.Root] == nil {
				d.dark[e.Root] = &darkness{since: clock.Now()}
			}
			d.dark[e.Root].reason = e.Blind.Reason
			d.dark[e.Root].looks++
		}
		d.news = append(d.news, c)
	}
	d.said, d.back = said, d.back[:0]
	for path, was := range d.dark {
		if !roots[path] && in.Only == nil {
			d.back = append(d.back, Back{Root: path, Reason: was.reason, For: clock.Now().Sub(was.since), Looks: was.looks})
			delete(d.dark, path)
		}
	}
	slices.SortFunc(d.back, func(a, b Back) int { return strings.Compare(a.Root, b.Root) })
}

func shutRow(e rundir.Entry, p policy.Policy, clock cursor.Clock) Row {
	r := cursor.Reading{Run: e.Run, Activity: true, Blind: e.Blind}
	if r.Run == "" {
		r.Run = e.Root
	}
	return Row{Verdict: p.Judge(r, clock.Now()), Files: &Files{Root: e.Root}}
}
