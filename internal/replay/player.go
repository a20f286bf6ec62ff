package replay

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/due"
	"github.com/progmon/progmon/policy"
)

// Play judges the lines of a tape, by the policy that thresholds gives for a
// run of a family, with looks at every interval (a millisecond at least). Lines
// are taken as they come: a long log need not be in memory.
func Play(lines iter.Seq[Line], interval time.Duration, thresholds func(run, family string) policy.Policy, out Output) Summary {
	p := &player{
		clock:      clock{interval: max(interval.Truncate(time.Millisecond), time.Millisecond)},
		thresholds: thresholds,
		out:        out,
		runs:       map[string]*run{},
		touched:    map[*run]bool{},
		sum:        Summary{Signals: map[string]int64{}, States: map[policy.State]int64{}},
	}
	next, stop := iter.Pull(lines)
	defer stop()
	p.play(next)
	for _, r := range p.runs {
		if r.verdict.State != "" {
			p.sum.States[r.verdict.State]++
		}
	}
	p.sum.Length, p.sum.Runs = max(p.clock.lookAt-p.from, 0), len(p.runs)
	p.sum.Looks, p.sum.BlindLooks, p.sum.Missed = p.clock.looks, p.clock.blindLooks, p.clock.missed
	return p.sum
}

// player is a tape in progress.
type player struct {
	clock      clock
	thresholds func(run, family string) policy.Policy
	out        Output
	runs       map[string]*run
	touched    map[*run]bool   // something happened that no look has seen
	due        due.Queue[*run] // of which time alone can say something new
	from       time.Duration   // the first line
	sum        Summary
}

// never is an instant after every tape.
const never = time.Duration(1<<63 - 1)

func (p *player) play(next func() (Line, bool)) {
	line, more := next()
	p.from = line.At
	owed := false // something happened after the last look
	for more || owed {
		at := p.nextLook(line.At, more && line.Kind != End)
		for more && line.At <= at && line.Kind != End {
			p.happen(line)
			owed = true
			// A row may have ended a suspend before its time.
			at = min(at, p.clock.slot(line.At))
			line, more = next()
		}
		if more && line.Kind == End && at > line.At {
			p.finish(line.At)
			return
		}
		if p.clock.slot(at) > at {
			continue // what happened keeps the loop from running now
		}
		p.look(at)
		owed = false
	}
}

// finish ends a tape that says where it ends: by a look there, if there is
// anything that no look has seen.
func (p *player) finish(at time.Duration) {
	p.clock.wake(at, false)
	p.clock.pass(at + 1)
	if len(p.touched) > 0 && p.clock.gapUntil <= at && !p.clock.asleep {
		p.look(at)
	}
}

// nextLook is the next slot with something to do: a line to see, a verdict or
// a signal that time alone can bring, or the first look after a stop.
func (p *player) nextLook(line time.Duration, more bool) time.Duration {
	at := never
	if more {
		at = p.clock.slot(line)
	}
	if p.clock.broken || p.clock.lookBlind != p.clock.blind {
		at = min(at, p.clock.slot(p.clock.lookAt+1))
	}
	if p.clock.lookBlind != "" {
		return at // nothing can come of time before sight returns
	}
	if first, ok := p.due.First(); ok {
		wait := max(first.place.At().Sub(p.clock.now()), 1)
		if wait < never-p.clock.lookAt-p.clock.interval {
			at = min(at, p.clock.slot(p.clock.lookAt+wait))
		}
	}
	return at
}

// happen lets a line happen. What it means to a run is seen at the next look.
func (p *player) happen(l Line) {
	c := &p.clock
	c.pass(l.At)
	c.wake(l.At, ofRun(l.Kind))
	switch l.Kind {
	case Blind:
		c.blind = l.Reason
	case Sighted:
		c.blind = ""
	case Gap:
		c.stop(l.At + l.For)
	case Suspend:
		c.suspend(l.At, l.For)
	case Wall:
		c.wallStep += l.Step
	case End:
	default:
		if l.Kind == cursor.RunStarted && p.runs[l.Run] == nil {
			p.runs[l.Run] = newRun(&l, p.thresholds(l.Run, l.Family))
		}
		if r := p.runs[l.Run]; r != nil {
			r.add(l, c.mono(l.At), c.wallMS(l.At))
			p.touched[r] = true
		}
	}
}

// look is one look of the monitor: at the runs of which something is new, at
// those that are due, and at all of them when sight was lost, came back, or is
// gone for another reason.
func (p *player) look(at time.Duration) {
	was := p.clock.lookBlind
	before := p.clock.look(at)
	for r, ok := p.due.First(); ok && !r.place.At().After(p.clock.now()); r, ok = p.due.First() {
		p.due.Put(r, time.Time{})
		p.touched[r] = true
	}
	if p.clock.lookBlind != was {
		for _, r := range p.runs {
			p.touched[r] = true
		}
	}
	seen := make([]*run, 0, len(p.touched))
	for r := range p.touched {
		seen = append(seen, r)
	}
	slices.SortFunc(seen, func(a, b *run) int { return strings.Compare(a.name, b.name) })
	for _, r := range seen {
		p.judge(r, at, before)
		if len(r.pending) == 0 && r.bytes == 0 {
			delete(p.touched, r)
		}
	}
}

// judge has a run judged, and says what is new.
func (p *player) judge(r *run, at, before time.Duration) {
	now := p.clock.now()
	var reading cursor.Reading
	switch {
	case p.clock.lookBlind == "":
		p.see(r, before)
		reading = r.reading(now)
	case r.verdict.State.Ended():
		return // an end already known stays known
	case r.verdict.State == "":
		return // nobody has seen it yet
	default:
		reading = r.verdict.Reading
		reading.Blind = cursor.Blindness{Reason: p.clock.blind}
	}
	v := r.policy.Judge(reading, now)
	changed := v.State != r.verdict.State || v.Reason != r.verdict.Reason
	signals, memory := policy.Edges(r.memory, v, nil)
	r.memory = memory
	r.verdict = v
	p.due.Put(r, policy.LookAgain(memory, v, now))
	if changed {
		p.sum.Verdicts++
		if p.out.Verdict != nil {
			p.out.Verdict(Judgement{at, v})
		}
	}
	for _, s := range signals {
		p.sum.Signals[s.Kind]++
		if p.out.Signal != nil {
			p.out.Signal(Signal{at, s, v})
		}
	}
}

// see folds what has happened to a run since the look before.
func (p *player) see(r *run, before time.Duration) {
	advance := r.trail.Standing().AdvanceEvent
	for i := range r.pending {
		row := &r.pending[i]
		row.event.Awake = p.clock.place(row.mono, before)
		if row.line.Kind == Vanished {
			r.trail.Vanished(row.event.Awake)
			continue
		}
		p.sum.Rows++
		if err := r.apply(row); err != nil {
			p.sum.Refused++
			if p.out.Refused != nil {
				p.out.Refused(Refusal{row.line, err})
			}
		}
	}
	r.pending = r.pending[:0]
	// Whether a log grew before or after an advance of the same look nobody
	// can tell: such a growth is no evidence against the run.
	if r.trail.Standing().AdvanceEvent != advance {
		r.growth, r.grown = 0, 0
	} else if r.bytes > 0 {
		r.growth++
		r.grown += r.bytes
	}
	r.bytes = 0
}
