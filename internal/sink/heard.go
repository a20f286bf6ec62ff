package sink

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// hearing is what an office was told of blindness. It is used by one goroutine,
// that of the look.
type hearing struct {
	blind bool      // of the whole trail
	said  time.Time // when that was said last
	parts map[string]*part
	// unkept is of a trail that can be read and not be written.
	unkept part
	looks  int // how many were not put on record
}

// part is a run or a directory that cannot be read.
type part struct {
	run    bool
	reason string
	detail string
	since  time.Time
	began  time.Time // with the monotonic clock
	said   time.Time
	missed int // looks that did not speak of it
}

// again has what was said of blindness said again at the next look that is blind:
// it was said last at the given time.
func (h *hearing) again(last time.Time) {
	h.said = last
	if !h.unkept.said.IsZero() {
		h.unkept.said = last
	}
	for _, p := range h.parts {
		if !p.said.IsZero() {
			p.said = last
		}
	}
}

// Heard is told of every look: it has the couriers look into the outbox when
// something was signalled, and say, past it, what could not be seen, again and
// again until it can. It waits for nobody.
func (o *Office) Heard(r watch.Report) {
	h, now := &o.hearing, time.Now()
	if b := r.Blind; b != nil {
		if b.Reason == store.BlindReplaced {
			// What is open of the old file must not outlive it.
			o.release()
		}
		if !h.blind || now.Sub(h.said) >= o.BlindRepeat {
			h.blind, h.said = true, now
			o.Tell(Sight{Source: o.Source, Reason: b.Reason, Detail: b.Detail, Since: b.Since, For: b.For})
		}
		return
	}
	if s := r.Sighted; s != nil && h.blind {
		h.blind = false
		o.Tell(Sight{Source: o.Source, Reason: s.Reason, Since: s.Since, For: s.For, Over: true})
	}
	if r.Unrecorded == nil {
		o.seen.Store(&now)
	}
	for _, other := range r.Absent {
		o.Tell(Sight{Source: "monitor " + other.ID, Reason: ReasonAbsent, Since: other.LastLook, For: other.Age})
	}
	for _, other := range r.Returned {
		o.Tell(Sight{Source: "monitor " + other.ID, Reason: ReasonAbsent, Since: other.LastLook, Over: true})
	}
	o.unwritten(r, now)
	o.partly(r, now)
	if o.wanted(r) {
		o.Poke()
	}
}

// ReasonUnrecorded is why a monitor that sees everything is blind all the same:
// what it sees cannot be put on record, so that nothing is signalled.
const ReasonUnrecorded = "unrecorded"

// ReasonAbsent is why another monitor of the trail is told of: it does not look
// any more.
const ReasonAbsent = "absent"

// busyLooks is how many looks in a row may find the trail held by another writer.
const busyLooks = 3

// unwritten says that looks cannot be put on record, as loud as blindness: no
// signal gets out of a trail that cannot be written.
func (o *Office) unwritten(r watch.Report, now time.Time) {
	h := &o.hearing
	p := &h.unkept
	if r.Unrecorded == nil {
		if !p.said.IsZero() {
			o.Tell(Sight{Source: o.Source, Reason: ReasonUnrecorded, Since: p.since, For: now.Sub(p.began), Over: true})
		}
		h.looks, *p = 0, part{}
		return
	}
	if h.looks++; h.looks == 1 {
		p.since, p.began = r.At, now
	}
	if errors.Is(r.Unrecorded, store.ErrBusy) && h.looks < busyLooks {
		return
	}
	if p.said.IsZero() || now.Sub(p.said) >= o.BlindRepeat {
		p.said = now
		o.Tell(Sight{Source: o.Source, Reason: ReasonUnrecorded, Detail: r.Unrecorded.Error(), Since: p.since, For: now.Sub(p.began)})
	}
}

// wanted reports whether a look signalled something.
func (o *Office) wanted(r watch.Report) bool {
	return slices.ContainsFunc(r.Changes, func(c watch.Change) bool { return len(c.Told) > 0 })
}

// partly says what of the trail and its directories cannot be read, the rest
// being seen. A look speaks of each such part, so that one it is silent about is
// seen again, or gone.
func (o *Office) partly(r watch.Report, now time.Time) {
	h := &o.hearing
	for _, p := range h.parts {
		p.missed++
	}
	var over, due []string
	for i := range r.Changes {
		v := &r.Changes[i].Verdict
		name := v.Reading.Run
		p := h.parts[name]
		switch {
		case v.State != policy.Blind:
			if p != nil {
				p.missed = goneAfter
			}
		case p == nil:
			if h.parts == nil {
				h.parts = map[string]*part{}
			}
			h.parts[name] = &part{run: !strings.Contains(name, "/"), reason: v.Reason, detail: v.Detail, since: r.At, began: now}
		default:
			p.missed, p.reason, p.detail = 0, v.Reason, v.Detail
		}
	}
	for _, name := range slices.Sorted(maps.Keys(h.parts)) {
		p := h.parts[name]
		switch {
		case p.missed >= goneAfter:
			over = append(over, name)
		case p.missed == 0 && (p.said.IsZero() || now.Sub(p.said) >= o.BlindRepeat):
			p.said = now
			due = append(due, name)
		}
	}
	o.tellParts(due, now, false)
	o.tellParts(over, now, true)
	for _, name := range over {
		delete(h.parts, name)
	}
}

// goneAfter is how many looks must be silent about a part that could not be
// read.
const goneAfter = 2

// tellParts tells of parts in one message, however many there are.
func (o *Office) tellParts(names []string, now time.Time, over bool) {
	if len(names) == 0 {
		return
	}
	first := o.hearing.parts[names[0]]
	s := Sight{Source: names[0], Run: first.run, Reason: first.reason, Detail: first.detail, Since: first.since,
		For: now.Sub(first.began), Over: over}
	if len(names) > 1 {
		s.Source, s.Run = fmt.Sprintf("%d runs or directories: %s", len(names), strings.Join(names[:min(len(names), 5)], ", ")), false
		if len(names) > 5 {
			s.Source += ", …"
		}
	}
	o.Tell(s)
}
