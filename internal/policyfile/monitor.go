package policyfile

import (
	"strings"
	"time"
)

// Monitor is the settings of [monitor]: how the watcher itself behaves.
type Monitor struct {
	Interval    time.Duration // from look to look; 0: the file does not say
	BlindRepeat time.Duration // how often blindness is sent to sinks again
	// LateAfter is when a monitor that has not looked is late; 0: after
	// LateIntervals intervals.
	LateAfter     time.Duration
	LateIntervals int64
	HeartbeatURL  string // told of looks that saw; empty: nobody is
}

func defaultMonitor() Monitor {
	return Monitor{BlindRepeat: 5 * time.Minute, LateIntervals: 3}
}

// Late is when a monitor that looks at this interval is late.
func (m Monitor) Late(interval time.Duration) time.Duration {
	if m.LateAfter > 0 {
		return m.LateAfter
	}
	return interval * time.Duration(m.LateIntervals)
}

// MinInterval is the shortest interval from look to look.
const MinInterval = 100 * time.Millisecond

func monitorKeys() []string {
	return []string{"interval", "blind_repeat", "late_after", "heartbeat_url"}
}

func (c *collector) monitorKey(s setting, key string) {
	m, err := &c.monitor, error(nil)
	switch key {
	case "interval":
		if m.Interval, err = duration(key, s.value); err == nil && m.Interval < MinInterval {
			c.wrong(s.line, "interval is at least 100ms")
		}
	case "blind_repeat":
		if m.BlindRepeat, err = duration(key, s.value); err == nil && m.BlindRepeat <= 0 {
			c.wrong(s.line, "blind_repeat is zero: it must be longer")
		}
	case "late_after":
		// A number counts intervals, and so does "3 intervals".
		if n, ok := strings.CutSuffix(s.value.text, " intervals"); ok && s.value.kind == text {
			s.value = value{kind: integer, text: n}
		}
		if s.value.kind == integer {
			if m.LateIntervals, err = whole(key, s.value); err == nil && (m.LateIntervals < 1 || m.LateIntervals > 1000) {
				c.wrong(s.line, "late_after is 1 to 1000 intervals")
			}
			break
		}
		if m.LateAfter, err = duration(key, s.value); err == nil && m.LateAfter <= 0 {
			c.wrong(s.line, "late_after is zero: it must be longer")
		}
	case "heartbeat_url":
		m.HeartbeatURL, err = address(key, s.value)
	default:
		c.unknown(s, key, monitorKeys())
	}
	if err != nil {
		c.wrong(s.line, "%v", err)
	}
}
