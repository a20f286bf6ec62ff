package store

import (
	"context"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
)

// MonitorRow is a monitor as it recorded itself.
type MonitorRow struct {
	ID       string
	Host     string
	PID      int64
	Boot     string // the boot that LastMono belongs to
	Started  time.Time
	Interval time.Duration
	// LateAfter is how old the last look may be before the monitor is late.
	LateAfter time.Duration
	Looks     int64
	Missed    int64 // slots at which it should have looked and did not
	LastLook  time.Time
	LastMono  time.Duration
	LastEvent int64     // every run was judged with the rows up to this one
	Blind     time.Time // since when part of the trail could not be read; zero: it can
	BlindTo   string    // the reason
	Stopped   time.Time // when it ended on purpose; zero: it did not
}

// Age is how long ago the last look was: by the monotonic clock in the boot it
// was made in, else by the wall clock, never negative.
func (m MonitorRow) Age(now cursor.Instant) time.Duration {
	if m.Boot == now.Boot {
		return max(now.Mono-m.LastMono, 0)
	}
	return max(now.Wall.Sub(m.LastLook), 0)
}

// The states of a trail's monitors.
const (
	MonitorLive  = "live"
	MonitorLate  = "late"
	MonitorNever = "never"
)

// Watched is what the monitors of a trail say of themselves, all together.
type Watched struct {
	State string        // MonitorLive, MonitorLate or MonitorNever
	Age   time.Duration // of the latest look; meaningless when never
	Best  MonitorRow    // the monitor that looked last
	// Stopped says that no monitor is expected to look: the last one ended on
	// purpose.
	Stopped bool
}

// latestMonitor is when a monitor is late whatever it said of itself: no look
// is further from the next.
const latestMonitor = 366 * 24 * time.Hour

// WatchedAt sums up the monitors at now: live when one of them looked within
// its LateAfter, never when there was none. A monitor that looked once and
// ended on purpose (watch --once) is late when its LateAfter has passed.
func WatchedAt(monitors []MonitorRow, now cursor.Instant) Watched {
	w := Watched{State: MonitorNever}
	for i, m := range monitors {
		m.LateAfter = min(m.LateAfter, latestMonitor)
		age := m.Age(now)
		// A stamp in the future would keep a dead monitor fresh until then.
		ahead := m.Boot != now.Boot && m.LastLook.After(now.Wall.Add(m.LateAfter)) ||
			m.Boot == now.Boot && m.LastMono > now.Mono+m.LateAfter
		live := age <= m.LateAfter && m.Stopped.IsZero() && !ahead
		if i > 0 && (w.State == MonitorLive && !live || (w.State == MonitorLive) == live && age >= w.Age) {
			continue
		}
		w = Watched{State: MonitorLate, Age: age, Best: m, Stopped: !m.Stopped.IsZero()}
		if live {
			w.State = MonitorLive
		}
	}
	return w
}

// Monitors gives every monitor that ever looked, the latest look first.
func (r *Reader) Monitors(ctx context.Context) ([]MonitorRow, error) {
	var monitors []MonitorRow
	err := r.view(ctx, func(c *conn) (err error) {
		monitors, err = c.monitors()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the monitors: %w", err)
	}
	return monitors, nil
}

func (c *conn) monitors() ([]MonitorRow, error) {
	var all []MonitorRow
	var id, host, boot, blindTo text
	var pid, started, interval, late, looks, missed, look, mono, event, blind, stopped num
	cells := []cell{&id, &host, &pid, &boot, &started, &interval, &late, &looks, &missed, &look, &mono, &event,
		&blind, &blindTo, &stopped}
	err := c.peek("monitors", func(row []value) error {
		fill(cells, row)
		all = append(all, MonitorRow{
			ID: id.s, Host: host.s, PID: pid.n, Boot: boot.s, Started: started.stamp(),
			Interval: interval.length(), LateAfter: late.length(), Looks: looks.n, Missed: missed.n,
			LastLook: look.stamp(), LastMono: mono.length(), LastEvent: event.n,
			Blind: blind.stamp(), BlindTo: blindTo.s, Stopped: stopped.stamp(),
		})
		return nil
	})
	return all, err
}
