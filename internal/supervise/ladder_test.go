package supervise

import (
	"fmt"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
)

// climb is a run that is silent from its first advance on, looked at once a
// minute.
type climb struct {
	l         ladder
	log       policy.Memory
	monitored bool
	reading   cursor.Reading
	minute    int
}

func newClimb() *climb {
	p := policy.Default()
	p.Mode = policy.Enforce
	at := cursor.At(0)
	return &climb{l: ladder{policy: p}, reading: cursor.Reading{
		Run: "r1", Epoch: 1, Total: cursor.Total{N: 9, Known: true}, Position: 4, StartEvent: 1, StartedAt: at, EpochEvent: 1,
		EpochAt: at, AdvanceEvent: 7, AdvancedAt: at, EpochMoved: true, Process: true, Presence: cursor.Alive}}
}

// look is the look of the next minute.
func (c *climb) look() []deed {
	c.minute++
	now := time.Duration(c.minute) * time.Minute
	r := c.reading
	c.l.told(&r, c.log)
	return c.l.look(c.l.policy.Judge(r, cursor.At(now)), c.log, c.monitored, now)
}

// until gives the minutes at which a deed was done, up to a minute.
func (c *climb) until(last int, change func(minute int)) map[deed][]int {
	done := map[deed][]int{}
	for c.minute < last {
		if change != nil {
			change(c.minute + 1)
		}
		for _, d := range c.look() {
			done[d] = append(done[d], c.minute)
		}
	}
	return done
}

func TestTheLadder(t *testing.T) {
	first := func(minutes []int) string {
		if len(minutes) == 0 {
			return "never"
		}
		return fmt.Sprint(minutes[0])
	}
	for _, row := range []struct {
		claim     string
		prepare   func(*climb)
		change    func(*climb, int)
		terminate string
	}{
		{"at the second look beyond escalate_after that has seen it all", nil, nil, "62"},
		{"not in observe", func(c *climb) { c.l.policy.Mode = policy.Observe }, nil, "never"},
		{"a monitor is let go first", func(c *climb) { c.monitored = true }, nil, "65"},
		{"and when it has told, the second look is enough", func(c *climb) { c.monitored = true }, func(c *climb, minute int) {
			if minute == 61 {
				c.log.Escalated = policy.Episode{Epoch: 1, Since: 7}
			}
		}, "62"},
		{"not while it is stopped by somebody", func(c *climb) { c.reading.Presence = cursor.Stopped }, nil, "never"},
		{"not on a clock that nothing confirms", func(c *climb) { c.reading.Unsure = true }, nil, "never"},
		{"a blind stretch begins the patience anew", nil, func(c *climb, minute int) {
			if minute == 30 {
				c.l.blind()
			}
		}, "91"},
		{"an advance ends the episode", nil, func(c *climb, minute int) {
			if minute == 59 {
				c.reading.AdvanceEvent, c.reading.AdvancedAt = 8, cursor.At(59*time.Minute)
			}
		}, "120"},
		{"a hold is waited for", nil, func(c *climb, minute int) {
			if minute == 59 {
				c.reading.Hold = cursor.Span{Event: 9, At: cursor.At(59 * time.Minute), Until: cursor.At(89 * time.Minute)}
			}
		}, "150"},
		{"a cancelled run is left to its end", nil, func(c *climb, minute int) { c.reading.Cancelled = minute > 40 }, "never"},
		{"what a monitor has told is not enough", func(c *climb) {
			c.l.policy.EscalateAfter = 4 * time.Hour
			c.log.Stalled, c.log.Escalated = policy.Episode{Epoch: 1, Since: 7}, policy.Episode{Epoch: 1, Since: 7}
		}, nil, "never"},
	} {
		c := newClimb()
		if row.prepare != nil {
			row.prepare(c)
		}
		done := c.until(200, func(minute int) {
			if row.change != nil {
				row.change(c, minute)
			}
		})
		if got := first(done[terminate]); got != row.terminate {
			t.Errorf("%s: terminated at minute %s, want %s", row.claim, got, row.terminate)
		}
	}

	c := newClimb()
	c.l.policy.MaxRuntime = 100 * time.Minute
	done := c.until(99, nil)
	for d, want := range map[deed]string{ping: "[5]", capture: "[15]", wrapup: "[80]"} {
		if got := fmt.Sprint(done[d]); got != want {
			t.Errorf("%s at minutes %s, want %s", d, got, want)
		}
	}
}

// What the wrapper slept through, or could not see, is not charged.
func TestGaps(t *testing.T) {
	g := gaps{interval: time.Second}
	at := func(s int) cursor.Instant { return cursor.Instant{Mono: time.Duration(s) * time.Second} }
	for _, s := range []int{10, 11, 12} {
		g.look(at(s).Mono)
	}
	if got := g.limit(0, at(12)); got != 0 {
		t.Errorf("without a gap the limit is %v, want none", got)
	}
	g.look(at(112).Mono) // 100 s, of which 98 are too much
	if got := g.limit(0, at(112)); got != 14*time.Second {
		t.Errorf("after a gap of 98 s at most %v of 112 s are charged, want 14s", got)
	}
	if got := g.limit(112*time.Second, at(113)); got != 0 {
		t.Errorf("a look on record after the gap leaves the limit %v, want none", got)
	}
	g = gaps{interval: time.Second}
	g.look(at(10).Mono)
	g.blind(at(10).Mono)
	g.look(at(11).Mono)
	if got := g.limit(0, at(11)); got != 10*time.Second {
		t.Errorf("after a blind second at most %v of 11 s are charged, want 10s", got)
	}
}
