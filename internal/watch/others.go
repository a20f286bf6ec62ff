package watch

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/progmon/progmon/store"
)

// Other is another monitor of the trail.
type Other struct {
	ID       string
	LastLook time.Time     // wall clock
	Age      time.Duration // of that look
}

// others watches the monitors beside this one: of two, each says when the other
// is gone.
type others struct {
	at     time.Duration // when they were last looked at, on the monotonic clock
	looked bool
	absent map[string]bool // known to be late
}

// othersEvery is how often the other monitors are looked at, at most.
const othersEvery = 10 * time.Second

// onceSuffix ends the id of a monitor that looks a single time, from cron or by
// hand: when it is to look again nobody knows.
const onceSuffix = "-once"

// watchOthers finds monitors that looked while this loop did and do so no more,
// and those that came back. One that ended on purpose is not missed, nor one
// that was late before this loop began; and one whose place on its host was
// taken by a younger one is back.
func (w *Watch) watchOthers(ctx context.Context, r *Report) {
	o, now := &w.others, w.Now()
	if w.record == nil || o.looked && now.Mono-o.at < max(othersEvery, w.Interval) {
		return
	}
	monitors, err := w.trail.Monitors(ctx)
	if err != nil {
		return // the next look says that the trail cannot be read
	}
	first := !o.looked
	o.looked, o.at = true, now.Mono
	late := map[string]bool{}
	for _, m := range monitors {
		if m.ID == w.ID || !m.Stopped.IsZero() || strings.HasSuffix(m.ID, onceSuffix) {
			continue
		}
		other := Other{m.ID, m.LastLook, m.Age(now)}
		replaced := slices.ContainsFunc(monitors, func(y store.MonitorRow) bool {
			return y.Host == m.Host && y.Started.After(m.LastLook)
		})
		if other.Age <= m.LateAfter || replaced {
			if o.absent[m.ID] && !first {
				r.Returned = append(r.Returned, other)
			}
			continue
		}
		late[m.ID] = true
		if !first && !o.absent[m.ID] {
			r.Absent = append(r.Absent, other)
		}
	}
	for id := range o.absent {
		if !late[id] && !slices.ContainsFunc(r.Returned, func(o Other) bool { return o.ID == id }) {
			r.Returned = append(r.Returned, Other{ID: id}) // it said good-bye since
		}
	}
	o.absent = late
}
