package cursor

import (
	"math"
	"testing"
	"time"
)

// TestAWallStepPlacesNothingElsewhere: an event of ten seconds ago lies ten
// seconds back on the awake clock, whether the wall clock was set before it or
// after, forward or back, and whether a look or the first reading of the boot
// vouches for the clock.
func TestAWallStepPlacesNothingElsewhere(t *testing.T) {
	const h = time.Hour
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	anchor := Anchor{Wall: base, Mono: 5 * h, Event: 100}
	for _, c := range []struct {
		claim  string
		state  ClockState
		before time.Duration // the step between the anchor and the event
		after  time.Duration // the step between the event and now
	}{
		{"no step", ClockState{HasLook: true, Look: anchor, Awake: h}, 0, 0},
		{"forward after it", ClockState{HasLook: true, Look: anchor, Awake: h}, 0, 12 * h},
		{"back after it", ClockState{HasLook: true, Look: anchor, Awake: h}, 0, -12 * h},
		{"forward before it", ClockState{HasLook: true, Look: anchor, Awake: h}, 12 * h, 0},
		{"back before it", ClockState{HasLook: true, Look: anchor, Awake: h}, -12 * h, 0},
		{"forward after it, and no look yet", ClockState{HasFirst: true, First: anchor}, 0, 12 * h},
		{"back after it, and no look yet", ClockState{HasFirst: true, First: anchor}, 0, -12 * h},
		{"back before it, and no look yet", ClockState{HasFirst: true, First: anchor}, -12 * h, 0},
	} {
		t.Run(c.claim, func(t *testing.T) {
			// The event came 20 s after the anchor, and now is 10 s after that.
			stamp := base.Add(20*time.Second + c.before)
			now := Instant{Wall: base.Add(30*time.Second + c.before + c.after), Mono: anchor.Mono + 30*time.Second}
			clock := NewClock(c.state, now, 0)
			at, sure := clock.Place(101, stamp)
			if age := clock.Now().Sub(at); age != 10*time.Second || !sure {
				t.Errorf("placed %v back, sure %v, want 10s, sure", age, sure)
			}
			if clock.Ahead(101, stamp) {
				t.Error("the stamp is said to lie in the future")
			}
		})
	}
}

// TestAStepDoesNotReachBeyondTheBracket: whatever a stamp says, what came after
// a look is no older than that look, and what a look has seen no younger.
func TestAStepDoesNotReachBeyondTheBracket(t *testing.T) {
	base := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := NewClock(ClockState{HasLook: true, Look: Anchor{Wall: base, Mono: time.Hour, Event: 100}, Awake: time.Hour},
		Instant{Wall: base.Add(time.Minute), Mono: time.Hour + time.Minute}, 0)
	for _, c := range []struct {
		claim string
		event int64
		stamp time.Time
		want  time.Duration
		sure  bool
	}{
		{"a stamp long before the look", 101, base.Add(-9 * time.Hour), time.Minute, true},
		{"a stamp in the future", 101, base.Add(9 * time.Hour), time.Minute, false},
		{"what the look has seen", 100, base.Add(50 * time.Second), time.Minute, true},
	} {
		t.Run(c.claim, func(t *testing.T) {
			at, sure := clock.Place(c.event, c.stamp)
			if age := clock.Now().Sub(at); age != c.want || sure != c.sure {
				t.Errorf("placed %v back, sure %v, want %v, %v", age, sure, c.want, c.sure)
			}
		})
	}
}

// TestAReadingAheadOfItsBootIsNone: whoever writes one freezes no silence.
func TestAReadingAheadOfItsBootIsNone(t *testing.T) {
	base := time.Unix(1_800_000_000, 0).UTC()
	now := Instant{Wall: base, Mono: 10 * time.Hour, Boot: "b"}
	ahead := time.Duration(math.MaxInt64)
	looked := NewClock(ClockState{HasLook: true, Look: Anchor{Wall: base.Add(-8 * time.Minute), Mono: ahead, Event: 100}, Awake: time.Hour}, now, 0)
	if got := looked.Now().Sub(At(time.Hour)); got != 8*time.Minute {
		t.Errorf("%v passed since a look that lies ahead, want 8m by the wall clock", got)
	}
	state := ClockState{HasFirst: true, First: Anchor{Wall: base.Add(-9 * time.Hour), Mono: ahead, Event: 1}}
	opened := NewClock(state, now, 0)
	state.HasFirst = false
	without := NewClock(state, now, 0)
	for _, age := range []time.Duration{0, time.Minute, time.Hour} {
		got, sure := opened.Place(5, base.Add(-age))
		want, same := without.Place(5, base.Add(-age))
		if !got.Equal(want) || sure != same {
			t.Errorf("Place(%v ago) = %v, %v, want %v, %v as without that reading", age, got, sure, want, same)
		}
	}
}
