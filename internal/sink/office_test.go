package sink

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/store"
)

func pass(d time.Duration) { <-time.After(d) }

func wantTaken(t *testing.T, c *collector, claim string, want ...string) {
	t.Helper()
	if got := c.taken(); !slices.Equal(got, want) {
		t.Errorf("%s: was taken:\n  %s\nwant:\n  %s", claim, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// TestASignalArrivesSoon: what anybody records is delivered, once and alone.
func TestASignalArrivesSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 2)
		c := collect(t, false)
		defer c.server.Close()
		o, stop := tr.office(place("page", c.sender("page", false)))
		defer stop()
		if err := o.Register(t.Context()); err != nil {
			t.Fatal(err)
		}
		pass(10 * time.Second)
		wantTaken(t, c, "nothing happened")
		tr.signal("stalled", "r0")
		pass(2 * time.Second)
		wantTaken(t, c, "a stall", "r0 stalled firing")
		pass(time.Hour)
		tr.advance("r0")
		tr.signal("recovered", "r0")
		pass(2 * time.Second)
		wantTaken(t, c, "an hour later", "r0 stalled firing", "r0 recovered resolved")
		if got := tr.states(); got[store.DeliveryDelivered] != 2 || len(got) != 1 {
			t.Errorf("the outbox has %v", got)
		}
	})
}

// TestASinkDownForHalfAnHour: with every kind of failure nothing is lost, order
// is kept, the same message has the same name, and the attempts are as far apart
// as they should be.
func TestASinkDownForHalfAnHour(t *testing.T) {
	for _, k := range []struct {
		claim   string
		secure  bool
		answer  func(w http.ResponseWriter, r *http.Request) int
		least   time.Duration // between two attempts
		most    int           // attempts in half an hour
		trusted bool
	}{
		{"500", false, func(http.ResponseWriter, *http.Request) int { return 500 }, 5 * time.Second, 20, false},
		{"404", false, func(http.ResponseWriter, *http.Request) int { return 404 }, 5 * time.Second, 20, false},
		{"429 with Retry-After", false, func(w http.ResponseWriter, _ *http.Request) int {
			w.Header().Set("Retry-After", "180")
			return 429
		}, 3 * time.Minute, 10, false},
		{"a hang", false, func(_ http.ResponseWriter, r *http.Request) int { <-r.Context().Done(); return -1 }, 5 * time.Second, 20, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTrail(t, 3)
			c := collect(t, k.secure)
			defer c.server.Close()
			c.answers(k.answer)
			o, stop := tr.office(place("page", c.sender("page", false)))
			defer stop()
			if err := o.Register(t.Context()); err != nil {
				t.Fatal(err)
			}
			tr.signal("stalled", "r0")
			pass(7 * time.Minute)
			tr.signal("escalated", "r0")
			tr.signal("stalled", "r1")
			pass(23 * time.Minute)
			wantTaken(t, c, k.claim)
			down := c.arrivals()
			if len(down) < 4 || len(down) > k.most {
				t.Errorf("%s: %d attempts in half an hour, want 4 to %d", k.claim, len(down), k.most)
			}
			for i := range down[1:] {
				if gap := down[i+1].at - down[i].at; gap < k.least-time.Second {
					t.Errorf("%s: two attempts %v apart, want %v", k.claim, gap, k.least)
				}
			}
			c.answers(nil)
			pass(time.Hour)
			got := c.taken()
			slices.Sort(got)
			if want := []string{"r0 escalated firing", "r0 stalled firing", "r1 stalled firing"}; !slices.Equal(got, want) {
				t.Errorf("%s: was taken %q, want %q", k.claim, got, want)
			}
			if got := c.taken(); slices.Index(got, "r0 stalled firing") > slices.Index(got, "r0 escalated firing") {
				t.Errorf("%s: out of order: %q", k.claim, got)
			}
			names := map[string]string{}
			for _, a := range c.arrivals() {
				if known := names[a.says]; known != "" && known != a.id {
					t.Errorf("%s: %q is called %s and %s", k.claim, a.says, known, a.id)
				}
				names[a.says] = a.id
			}
		})
	}
}

// TestACertificateThatNobodyKnows is tried again, and once it is known the
// message goes out.
func TestACertificateThatNobodyKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 1)
		c := collect(t, true)
		defer c.server.Close()
		tr.keep("page")
		tr.signal("stalled", "r0")
		_, stop := tr.office(place("page", c.sender("page", false)))
		pass(30 * time.Minute)
		stop()
		rows, err := tr.Outbox(context.Background(), store.OutboxFilter{})
		if err != nil || len(rows) != 1 || !strings.Contains(rows[0].Answer, "certificate") || rows[0].Attempts < 4 {
			t.Fatalf("Outbox() = %+v, %v", rows, err)
		}
		_, stop = tr.office(place("page", c.sender("page", true)))
		defer stop()
		pass(time.Hour)
		wantTaken(t, c, "a certificate that is known by now", "r0 stalled firing")
	})
}

// TestGoneIsDeadAtOnce: 410 is not argued with, and a person can send it again.
func TestGoneIsDeadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 2)
		c := collect(t, false)
		defer c.server.Close()
		c.answers(func(http.ResponseWriter, *http.Request) int { return 410 })
		tr.keep("page")
		_, stop := tr.office(place("page", c.sender("page", false)))
		defer stop()
		tr.signal("stalled", "r0")
		pass(time.Hour)
		if n := len(c.arrivals()); n != 1 {
			t.Errorf("%d attempts, want one", n)
		}
		rows, err := tr.Outbox(context.Background(), store.OutboxFilter{})
		if err != nil || len(rows) != 1 || rows[0].State != store.DeliveryDead || !strings.HasPrefix(rows[0].Answer, "410 Gone") {
			t.Fatalf("Outbox() = %+v, %v, want a dead letter", rows, err)
		}
		c.answers(nil)
		pass(time.Hour)
		wantTaken(t, c, "nobody asked for it")
		if _, err := tr.RetryDeliveries(context.Background(), []int64{rows[0].ID}); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Second)
		wantTaken(t, c, "after a retry", "r0 stalled firing")
	})
}

// TestThreeDaysInVainAreEnough: then it is a dead letter, and what came later of
// the run has its turn.
func TestThreeDaysInVainAreEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 1)
		c := collect(t, false)
		defer c.server.Close()
		c.answers(func(http.ResponseWriter, *http.Request) int { return 503 })
		tr.keep("page")
		var said []string
		o, stop := tr.office(place("page", c.sender("page", false)))
		stop()
		o.Say, o.every = func(format string, _ ...any) { said = append(said, format) }, time.Minute
		tr.signal("stalled", "r0")
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); o.Run(ctx) }()
		pass(70 * time.Hour)
		if got := tr.states(); got[store.DeliveryWaiting] != 1 {
			t.Errorf("after 70 hours the outbox has %v, want one waiting", got)
		}
		pass(6 * time.Hour)
		if got := tr.states(); got[store.DeliveryDead] != 1 {
			t.Errorf("after 76 hours the outbox has %v, want one dead", got)
		}
		cancel()
		<-done
		if len(said) != 2 || !strings.Contains(said[0], "takes nothing") || !strings.Contains(said[1], "gave up") {
			t.Errorf("people were told %q, want once that the sink takes nothing and once that it was given up", said)
		}
	})
}

// TestASlowSinkDelaysNoOther: one hangs at its deadline each time, and the other
// has everything within seconds.
func TestASlowSinkDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 3)
		slow, quick := collect(t, false), collect(t, false)
		defer slow.server.Close()
		defer quick.server.Close()
		slow.answers(func(_ http.ResponseWriter, r *http.Request) int { <-r.Context().Done(); return -1 })
		tr.keep("slow", "quick")
		_, stop := tr.office(place("slow", slow.sender("slow", false)), place("quick", quick.sender("quick", false)))
		defer stop()
		tr.signal("stalled", "r0")
		tr.signal("stalled", "r1")
		tr.signal("stalled", "r2")
		pass(2 * time.Second)
		wantTaken(t, quick, "beside a slow sink", "r0 stalled firing", "r1 stalled firing", "r2 stalled firing")
		wantTaken(t, slow, "which took nothing")
	})
}

// TestTwoMonitorsDeliverOnce: both serve the sink, and each message is sent by
// one of them.
func TestTwoMonitorsDeliverOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 30)
		c := collect(t, false)
		defer c.server.Close()
		tr.keep("page")
		_, stop := tr.office(place("page", c.sender("page", false)))
		defer stop()
		second := &Office{OpenOutbox: tr.open, Monitor: "second", Places: []Place{place("page", c.sender("page", false))}}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); second.Run(ctx) }()
		defer func() { cancel(); <-done }()
		for i := range 10 {
			tr.signal("stalled", "r"+string(rune('0'+i)))
		}
		pass(5 * time.Second)
		got := c.taken()
		slices.Sort(got)
		if len(got) != 10 || len(slices.Compact(got)) != 10 {
			t.Errorf("ten signals arrived as %q", got)
		}
	})
}

// TestTheTrailMayCome: an office that cannot open it tries again, and says
// nothing, since the look does.
func TestTheTrailMayCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 1)
		c := collect(t, false)
		defer c.server.Close()
		var there atomic.Bool
		var said atomic.Int64
		o := &Office{Monitor: "m", Places: []Place{place("page", c.sender("page", false))},
			Say: func(string, ...any) { said.Add(1) },
			OpenOutbox: func(ctx context.Context) (Outbox, error) {
				if !there.Load() {
					return nil, &store.BlindError{Reason: store.BlindMissing}
				}
				return tr.open(ctx)
			}}
		if err := o.Register(t.Context()); err == nil {
			t.Error("a trail that is not there was opened")
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); o.Run(ctx) }()
		defer func() { cancel(); <-done }()
		pass(time.Minute)
		synctest.Wait()
		there.Store(true)
		pass(2 * time.Second)
		tr.signal("stalled", "r0")
		pass(2 * time.Second)
		wantTaken(t, c, "once it is there", "r0 stalled firing")
		if n := said.Load(); n != 0 {
			t.Errorf("people were told %d things", n)
		}
	})
}

// TestAStormIsOneMessageThatCounts, in Alertmanager's words too.
func TestAStormIsOneMessageThatCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 30)
		tr.keep("page")
		var runs []string
		for i := range 30 {
			runs = append(runs, "r"+string(rune('0'+i/10))+string(rune('0'+i%10)))
		}
		for i := range runs {
			if i < 10 {
				runs[i] = "r" + string(rune('0'+i))
			} else {
				runs[i] = runs[i][0:1] + strings.TrimPrefix(runs[i][1:], "0")
			}
		}
		tr.signal("stalled", runs...)
		d, err := tr.Claim(t.Context(), "page", "m", time.Minute)
		if err != nil || d == nil {
			t.Fatal(d, err)
		}
		m := fromOutbox(d, "aa")
		if m.Run != "" || !strings.HasPrefix(m.Text, "30 signals at once of 30 runs: 30 stalled (r") || len(m.Signals) != store.MostTold {
			t.Errorf("the message says %q of %q, by name %d", m.Text, m.Run, len(m.Signals))
		}
		p := alertmanagerBody(m, "page", nil)
		if p.TruncatedAlerts != 10 || len(p.Alerts) != 20 || p.GroupKey != `{}:{alertname="RunStalled"}` || p.CommonAnnotations["summary"] != m.Text {
			t.Errorf("the body has %d alerts and %d more, of %s", len(p.Alerts), p.TruncatedAlerts, p.GroupKey)
		}
	})
}

// TestRecoveredBeforeAnybodyHeard is one message that says both.
func TestRecoveredBeforeAnybodyHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTrail(t, 1)
		tr.keep("page")
		tr.signal("stalled", "r0")
		pass(time.Hour)
		tr.advance("r0")
		tr.signal("recovered", "r0")
		d, err := tr.Claim(t.Context(), "page", "m", time.Minute)
		if err != nil || d == nil {
			t.Fatal(d, err)
		}
		m := fromOutbox(d, "aa")
		if !strings.HasPrefix(m.Text, "r0 stalled (quiet): ") || !strings.Contains(m.Text, "; then recovered: ") || m.Kind != "stalled" {
			t.Errorf("the message says %q", m.Text)
		}
		p := alertmanagerBody(m, "page", nil)
		if len(p.Alerts) != 1 || p.Status != "resolved" || p.Alerts[0].EndsAt.Sub(p.Alerts[0].StartsAt).Round(time.Minute) != time.Hour {
			t.Errorf("the alerts are %+v", p.Alerts)
		}
	})
}

func TestBackoff(t *testing.T) {
	for attempts, want := range map[int64]time.Duration{1: 5 * time.Second, 2: 10 * time.Second, 5: 80 * time.Second, 11: time.Hour, 1 << 40: time.Hour} {
		for range 100 {
			if got := backoff(attempts); got < max(want*4/5, firstWait) || got > min(want*6/5, maxWait) {
				t.Errorf("backoff(%d) = %v, want about %v", attempts, got, want)
			}
		}
	}
	seen := map[time.Duration]bool{}
	for range 100 {
		seen[backoff(7)] = true
	}
	if len(seen) < 2 {
		t.Error("backoff(7) has no jitter")
	}
}
