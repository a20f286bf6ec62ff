package cursor

import (
	"math"
	"time"
)

// Instant is one moment on three clocks, read together.
type Instant struct {
	Wall time.Time     // UTC; may step in either direction
	Mono time.Duration // CLOCK_MONOTONIC of this boot: does not count suspend, never steps
	Boot string        // which boot Mono belongs to
}

// Anchor is an Instant that is on record in the trail, with the newest event
// that existed then. Whatever has a larger id came later.
type Anchor struct {
	Wall  time.Time
	Mono  time.Duration
	Event int64
}

// Clock is the awake clock: the time a machine was awake, as the looks of
// monitors have charged it. It goes on across restarts (the anchor is in the
// database), is not charged for suspend (it rides on the monotonic clock), and
// never steps. A Clock is a value made anew at each look.
type Clock struct {
	now   Instant
	awake time.Duration // the awake clock at now
	// look is the last look of any monitor in this boot, first the reading
	// that opened the trail in this boot. Either may be missing.
	look, first       Anchor
	hasLook, hasFirst bool
	lookAwake         time.Duration
}

// ClockState is what the trail keeps of the awake clock.
type ClockState struct {
	HasFirst bool
	First    Anchor // of the present boot
	HasLook  bool
	Look     Anchor        // of the present boot
	Awake    time.Duration // at Look
	// Carried is the awake clock at the last look of an earlier boot; HasCarried
	// says there was one. What was awake between that look and the present
	// boot is not known and not charged; the present boot is charged from its
	// start, since the monotonic clock counts from there.
	HasCarried   bool
	Carried      time.Duration
	CarriedEvent int64
}

// NewClock says where the awake clock stands at now. limit, when positive, is
// the most that may be charged since the last look: a loop that was starved or
// stopped gives the run a fresh start instead of an accusation. A process that
// has not looked before passes 0: what the machine was awake is then charged
// in full, so that a look from cron goes on counting.
//
// The monotonic clock of a boot never steps back, so a reading of it that lies
// ahead of now was put there by somebody. Of a look the wall clock is believed
// then; a first reading is none.
func NewClock(s ClockState, now Instant, limit time.Duration) Clock {
	if s.HasLook && s.Look.Mono > now.Mono+slack {
		s.Look.Mono = now.Mono - min(max(now.Wall.Sub(s.Look.Wall), 0), max(now.Mono, 0))
	}
	s.HasFirst = s.HasFirst && s.First.Mono <= now.Mono+slack
	c := Clock{now: now, first: s.First, hasFirst: s.HasFirst, look: s.Look, hasLook: s.HasLook, lookAwake: s.Awake}
	switch {
	case s.HasLook:
		passed := max(now.Mono-s.Look.Mono, 0)
		if limit > 0 {
			passed = min(passed, limit)
		}
		c.awake = s.Awake + passed
	case s.HasCarried:
		c.awake = s.Carried + max(now.Mono, 0)
		c.look, c.lookAwake = Anchor{Event: s.CarriedEvent}, s.Carried
	default:
		c.awake = max(now.Mono, 0)
	}
	return c
}

// origin is where the awake timeline begins as a time.Time: pure code takes
// instants, and durations between them are all that matters.
var origin = time.Unix(0, 0).UTC()

// At turns a stored reading of the awake clock into an instant on its timeline.
func At(awake time.Duration) time.Time { return origin.Add(awake) }

// Awake turns an instant on the awake timeline into the duration to store.
func Awake(t time.Time) time.Duration { return t.Sub(origin) }

// Now is the present on the awake timeline.
func (c Clock) Now() time.Time { return At(c.awake) }

// Instant is the moment that the clock was made for.
func (c Clock) Instant() Instant { return c.now }

// Place says where on the awake timeline an event lies that carries a stamp of
// the wall clock, and whether that is sure. The id brackets the event between
// looks; inside the bracket its stamp is used, less any step that the wall
// clock has made against the monotonic clock: of the readings that a step
// allows, the younger is taken, so that a jump or a suspend can delay a
// verdict but never cause one. A reading in the future is none. Where that
// leaves nothing (see Ahead) the event is placed at the older edge of its
// bracket, and that is not sure: silence must not begin anew at each look.
func (c Clock) Place(event int64, stamp time.Time) (at time.Time, sure bool) {
	if event <= c.look.Event && c.look.Event > 0 {
		// Seen by a look that kept no landmark for it: at least as old as that.
		return At(c.lookAwake), true
	}
	room, bracketed := c.room(event)
	age, known := c.age(event, stamp)
	if !known {
		age = room
	}
	if bracketed {
		age = min(age, room)
	}
	return At(c.awake - age), known && bracketed
}

// Ahead reports that the stamp of an event that no look has seen lies in the
// future, however the wall clock may have been set since. It says nothing, then,
// of where in its bracket the event lies.
func (c Clock) Ahead(event int64, stamp time.Time) bool {
	if event <= c.look.Event && c.look.Event > 0 {
		return false
	}
	_, known := c.age(event, stamp)
	return !known
}

// Oldest is the earliest instant at which an event can lie: what came after the
// first reading of this boot is not older than that.
func (c Clock) Oldest(event int64) time.Time {
	if c.hasFirst && event > c.first.Event {
		return At(c.awake - max(c.now.Mono-c.first.Mono, 0))
	}
	return At(0)
}

// room is how old an event can be that came after the last look: the bracket
// that its id gives. Without an anchor in this boot that is all there is.
func (c Clock) room(event int64) (room time.Duration, bracketed bool) {
	switch {
	case c.hasLook:
		return c.awake - c.lookAwake, true
	case c.hasFirst && event > c.first.Event:
		return max(c.now.Mono-c.first.Mono, 0), true
	}
	return c.awake - c.lookAwake, false
}

// slack is how far ahead a stamp may lie for the clocks were not read at once.
const slack = time.Second

// age is how old an event is by its stamp, and known whether the stamp can be
// true.
func (c Clock) age(event int64, stamp time.Time) (age time.Duration, known bool) {
	now := c.now.Wall.Sub(stamp)
	readings := [2]time.Duration{now, now}
	from := c.first
	if c.hasLook {
		from = c.look
	}
	if c.hasLook || c.hasFirst && event > c.first.Event {
		step := c.now.Wall.Sub(from.Wall) - (c.now.Mono - from.Mono)
		readings[1] = saturating(now, step)
	}
	for _, each := range readings {
		if each < -slack {
			continue
		}
		if each = max(each, 0); !known || each < age {
			age, known = each, true
		}
	}
	return age, known
}

// saturating is a − b, at the largest or smallest duration where there is none.
func saturating(a, b time.Duration) time.Duration {
	switch d := a - b; {
	case a >= 0 && b < 0 && d < 0:
		return math.MaxInt64
	case a < 0 && b > 0 && d >= 0:
		return math.MinInt64
	default:
		return d
	}
}

// Wall turns an instant on the awake timeline into the wall time at which it is
// or was expected, for people and for JSON.
func (c Clock) Wall(t time.Time) time.Time { return c.now.Wall.Add(t.Sub(c.Now())) }
