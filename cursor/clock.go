package cursor

import "time"

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
func NewClock(s ClockState, now Instant, limit time.Duration) Clock {
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
// clock has made against the monotonic clock: of the two readings that a step
// allows, the younger is taken, so that a jump or a suspend can delay a
// verdict but never cause one.
func (c Clock) Place(event int64, stamp time.Time) (at time.Time, sure bool) {
	age := max(c.now.Wall.Sub(stamp), 0)
	var from Anchor
	var room time.Duration
	switch {
	case event <= c.look.Event && c.look.Event > 0:
		// Seen by a look that kept no landmark for it: at least as old as that.
		return At(c.lookAwake), true
	case c.hasLook:
		from, room = c.look, c.awake-c.lookAwake
	case c.hasFirst && event > c.first.Event:
		from, room = c.first, max(c.now.Mono-c.first.Mono, 0)
	default:
		return At(c.awake - age), false
	}
	step := c.now.Wall.Sub(from.Wall) - (c.now.Mono - from.Mono)
	age = c.now.Wall.Sub(stamp)
	age = min(age, age-step)
	return At(c.awake - min(max(age, 0), room)), true
}

// Wall turns an instant on the awake timeline into the wall time at which it is
// or was expected, for people and for JSON.
func (c Clock) Wall(t time.Time) time.Time { return c.now.Wall.Add(t.Sub(c.Now())) }
