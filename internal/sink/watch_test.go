package sink

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// monitor is a whole monitor on a trail: the loop and its couriers, as the
// command wires them.
func (tr *trail) monitor(t *testing.T, id string, places ...Place) (stop func()) {
	t.Helper()
	o := &Office{OpenOutbox: tr.open, Monitor: id, Places: places, Source: tr.path, BlindRepeat: 5 * time.Minute}
	if err := o.Register(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { o.Run(ctx) })
	w := &watch.Watch{
		Open: func(ctx context.Context) (watch.Trail, error, error) {
			s, err := store.Open(ctx, tr.path, store.WithNow(tr.now), store.WithExisting())
			if err != nil {
				return nil, nil, err
			}
			return s, nil, nil
		},
		Now: tr.now, Thresholds: func(string, []byte) policy.Policy { return policy.Default() },
		Report:   func(r watch.Report) error { o.Heard(r); return nil },
		Interval: 5 * time.Second, ID: id, Host: "box", PID: 1,
	}
	running.Go(func() {
		if err := w.Run(ctx); err != nil {
			t.Errorf("the monitor ended with %v", err)
		}
	})
	return func() { cancel(); running.Wait() }
}

// TestARestartIsSilent: what did not change while no monitor ran is told of to
// nobody, and what did is told once.
func TestARestartIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 2)
		c := collect(t, false)
		defer c.server.Close()
		stop := tr.monitor(t, "first", place("page", c.sender("page", false)))
		pass(20 * time.Minute)
		wantTaken(t, c, "two runs never began", "r0 stalled firing", "r1 stalled firing")
		stop()
		pass(time.Hour)
		stop = tr.monitor(t, "second", place("page", c.sender("page", false)))
		pass(30 * time.Second)
		stop()
		wantTaken(t, c, "nothing changed, but that an hour went by", "r0 stalled firing", "r1 stalled firing",
			"r0 escalated firing", "r1 escalated firing")
		pass(time.Minute)
		tr.advance("r0")
		pass(time.Minute)
		stop = tr.monitor(t, "third", place("page", c.sender("page", false)))
		defer func() { stop() }()
		pass(10 * time.Minute)
		wantTaken(t, c, "one advanced meanwhile", "r0 stalled firing", "r1 stalled firing",
			"r0 escalated firing", "r1 escalated firing", "r0 recovered resolved")
	})
}

// TestASlowSinkDelaysNoLook: looks are on time while a sink hangs at every
// attempt.
func TestASlowSinkDelaysNoLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 5)
		c := collect(t, false)
		defer c.server.Close()
		c.answers(func(_ http.ResponseWriter, r *http.Request) int { <-r.Context().Done(); return -1 })
		stop := tr.monitor(t, "m", place("page", c.sender("page", false)))
		defer stop()
		pass(30 * time.Minute)
		if n := len(c.arrivals()); n < 3 {
			t.Errorf("the sink was tried %d times", n)
		}
		monitors, err := tr.Monitors(t.Context())
		if err != nil || len(monitors) != 1 {
			t.Fatal(monitors, err)
		}
		if m := monitors[0]; m.Missed != 0 || m.Looks < 12*30-2 {
			t.Errorf("in half an hour it looked %d times and missed %d, want every five seconds", m.Looks, m.Missed)
		}
	})
}
