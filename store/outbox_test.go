package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// post is a trail with a sink called hook, and a test's hand on it.
type post struct {
	*store.Store
	t *testing.T
	c *clocks
}

func newPost(t *testing.T, runs int, wants ...store.Wanted) *post {
	c := newClocks()
	p := &post{openLook(t, c), t, c}
	t.Cleanup(func() { storetest.Verify(t, p.Reader) })
	for i := range runs {
		start(t, p.Store, fmt.Sprintf("run-%02d", i), 9)
	}
	if len(wants) == 0 {
		wants = []store.Wanted{{Sink: "hook"}}
	}
	if err := p.KeepFor(t.Context(), "host-1-aa", wants); err != nil {
		t.Fatal(err)
	}
	return p
}

// signal has a look record a signal of each of the runs.
func (p *post) signal(kind, state, reason string, runs ...string) {
	p.t.Helper()
	found := must(p.Look(p.t.Context(), store.Ask{Runs: runs}))(p.t)
	look := store.Look{Monitor: monitorRow(), Found: found}
	for i := range found.Runs {
		r := &found.Runs[i]
		since := r.Reading.Since()
		if kind == "recovered" {
			since = r.Told[0].Since
		}
		look.Judged = append(look.Judged, store.Judged{Run: r, Changed: true, Verdict: store.Memory{State: state, Since: since},
			Signals: []store.Signal{{Kind: "signal." + kind, Epoch: 1, Since: since, Reason: reason, Data: []byte(`{"state":"` + state + `"}`)}}})
	}
	if err := p.RecordLook(p.t.Context(), &look); err != nil {
		p.t.Fatal(err)
	}
	for _, j := range look.Judged {
		if j.Signals[0].Event == 0 {
			p.t.Fatalf("%s of %s was not recorded", kind, j.Run.Reading.Run)
		}
	}
}

func (p *post) advance(run string) {
	p.t.Helper()
	must(p.Run(run, 1).Complete(p.t.Context(), store.Pos(9)))(p.t)
}

// claim takes the next message, and says what it tells: "run-00 stalled +1".
func (p *post) claim(sink string) (*store.Delivery, string) {
	p.t.Helper()
	d := must(p.Claim(p.t.Context(), sink, "me", 15*time.Second))(p.t)
	return d, says(d)
}

func says(d *store.Delivery) string {
	if d == nil {
		return "nothing"
	}
	var parts []string
	for _, s := range d.Signals {
		parts = append(parts, s.Run+" "+s.Kind)
	}
	return strings.Join(parts, ", ")
}

func (p *post) settle(d *store.Delivery, o store.Outcome) {
	p.t.Helper()
	if err := p.Settle(p.t.Context(), d, o); err != nil {
		p.t.Fatal(err)
	}
}

// deliver takes and delivers what there is, and says it.
func (p *post) deliver(sink string) (told []string) {
	p.t.Helper()
	for {
		d, text := p.claim(sink)
		if d == nil {
			return told
		}
		told = append(told, text)
		p.settle(d, store.Outcome{State: store.DeliveryDelivered})
	}
}

func (p *post) wantDelivered(sink string, want ...string) {
	p.t.Helper()
	if got := p.deliver(sink); !slices.Equal(got, want) {
		p.t.Errorf("to %s was delivered:\n  %s\nwant:\n  %s", sink, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestASinkGetsWhatItWants(t *testing.T) {
	p := newPost(t, 2,
		store.Wanted{Sink: "all"},
		store.Wanted{Sink: "other", Families: []string{"other"}},
		store.Wanted{Sink: "stuck", States: []string{"stuck"}},
		store.Wanted{Sink: "ends", Kinds: []string{"failed", "recovered"}})
	p.signal("stalled", "stuck", "looping", "run-00")
	p.signal("stalled", "stalled", "quiet", "run-01")
	p.wantDelivered("all", "run-00 stalled", "run-01 stalled")
	p.wantDelivered("stuck", "run-00 stalled")
	p.advance("run-00")
	p.advance("run-01")
	p.signal("recovered", "advancing", "", "run-00", "run-01")
	p.wantDelivered("all", "run-00 recovered", "run-01 recovered")
	p.wantDelivered("stuck", "run-00 recovered") // and not of the one it never heard of
	p.wantDelivered("ends", "run-00 recovered", "run-01 recovered")
	p.wantDelivered("other")
	p.wantDelivered("nobody")
}

// TestAWrapperSignalIsDelivered: whoever records a signal, it reaches the sinks.
func TestAWrapperSignalIsDelivered(t *testing.T) {
	p := newPost(t, 1)
	found := must(p.Look(t.Context(), store.Ask{All: true}))(t)
	sig := store.Signal{Kind: "signal.wrap-up", Since: found.Runs[0].Reading.Since()}
	for range 2 {
		if err := p.Run("run-00", 1).Signal(t.Context(), sig); err != nil {
			t.Fatal(err)
		}
	}
	p.wantDelivered("hook", "run-00 wrap-up")
}

func TestOrderIsKeptWithinARun(t *testing.T) {
	p := newPost(t, 2)
	p.signal("stalled", "stalled", "quiet", "run-00")
	p.signal("stalled", "stalled", "quiet", "run-01")
	first, text := p.claim("hook")
	if text != "run-00 stalled" {
		t.Fatalf("first was claimed %s", text)
	}
	p.advance("run-00")
	p.signal("recovered", "advancing", "", "run-00")
	// It is in somebody's hands: what comes later of the run waits, other runs do not.
	if second, text := p.claim("hook"); text != "run-01 stalled" {
		t.Fatalf("second was claimed %s", text)
	} else {
		p.settle(second, store.Outcome{State: store.DeliveryDelivered})
	}
	if _, text := p.claim("hook"); text != "nothing" {
		t.Errorf("while the first is being sent, %s was claimed", text)
	}
	p.settle(first, store.Outcome{State: store.DeliveryDead, Answer: "410 Gone"})
	p.wantDelivered("hook", "run-00 recovered")
	rows := must(p.Outbox(t.Context(), store.OutboxFilter{}))(t)
	if len(rows) != 1 || rows[0].State != store.DeliveryDead || rows[0].Answer != "410 Gone" {
		t.Fatalf("Outbox() = %+v, want the dead one", rows)
	}
	// A dead letter is sent again when a person says so.
	must(p.RetryDeliveries(t.Context(), []int64{rows[0].ID}))(t)
	p.wantDelivered("hook", "run-00 stalled")
	if _, err := p.RetryDeliveries(t.Context(), []int64{rows[0].ID}); !errors.Is(err, store.ErrNoDelivery) {
		t.Errorf("RetryDeliveries(delivered) = %v, want ErrNoDelivery", err)
	}
}

// TestRecoveredBeforeDelivered: one message says both, under the name of the
// stalled, unless somebody may have heard of that already.
func TestRecoveredBeforeDelivered(t *testing.T) {
	ctx := t.Context()
	for _, unsure := range []bool{false, true} {
		p := newPost(t, 1)
		p.signal("stalled", "stalled", "quiet", "run-00")
		d, _ := p.claim("hook")
		p.settle(d, store.Outcome{State: store.DeliveryWaiting, Wait: time.Minute, Unsure: unsure, Answer: "down"})
		p.signal("escalated", "stalled", "quiet", "run-00")
		p.advance("run-00")
		p.signal("recovered", "advancing", "", "run-00")
		if _, text := p.claim("hook"); text != "nothing" {
			t.Errorf("before its time %s was claimed", text)
		}
		p.c.pass(time.Minute)
		if unsure {
			p.wantDelivered("hook", "run-00 stalled", "run-00 escalated", "run-00 recovered")
			continue
		}
		p.wantDelivered("hook", "run-00 stalled, run-00 escalated, run-00 recovered")
		rows := must(p.Outbox(ctx, store.OutboxFilter{All: true}))(t)
		if len(rows) != 3 || rows[0].State != store.DeliveryDelivered || rows[1].State != store.DeliveryMerged ||
			rows[2].State != store.DeliveryMerged || rows[2].Into != rows[0].ID {
			t.Errorf("Outbox() = %+v, want one delivered and two merged into it", rows)
		}
	}
}

func TestAStormIsOneMessage(t *testing.T) {
	name := func(n int) (runs []string) {
		for i := range n {
			runs = append(runs, fmt.Sprintf("run-%02d", i))
		}
		return runs
	}
	for _, c := range []struct {
		claim        string
		runs, struck int
		kind         string
		messages     int
	}{
		{"above twenty signals in a look", 100, 21, "stalled", 1},
		{"twenty of many runs are told one by one", 100, 20, "stalled", 20},
		{"one cause over half the runs", 5, 3, "stalled", 1},
		{"half of them are told one by one", 6, 3, "stalled", 3},
		{"few runs are told one by one", 4, 4, "stalled", 4},
	} {
		p := newPost(t, c.runs)
		p.signal(c.kind, "stalled", "quiet", name(c.struck)...)
		events := must(p.Events(t.Context(), store.EventFilter{Limit: 10000}))(t)
		recorded := 0
		for _, e := range events {
			if e.Kind == "signal."+c.kind {
				recorded++
			}
		}
		if recorded != c.struck {
			t.Errorf("%s: the log has %d signals, want each of %d", c.claim, recorded, c.struck)
		}
		d, _ := p.claim("hook")
		if got := d.Counts[0].Runs; c.messages == 1 && (got != int64(c.struck) || len(d.Signals) != min(c.struck, store.MostTold)) {
			t.Errorf("%s: the message tells of %d runs, %d by name, want %d", c.claim, got, len(d.Signals), c.struck)
		}
		p.settle(d, store.Outcome{State: store.DeliveryDelivered})
		if got := 1 + len(p.deliver("hook")); got != c.messages {
			t.Errorf("%s: %d messages, want %d", c.claim, got, c.messages)
		}
	}
}

// TestAGroupWaitsForEachOfItsRuns: order holds within every run of a storm.
func TestAGroupWaitsForEachOfItsRuns(t *testing.T) {
	p := newPost(t, 5)
	p.signal("wrap-up", "advancing", "", "run-02")
	first, _ := p.claim("hook")
	p.signal("stalled", "stalled", "quiet", "run-00", "run-01", "run-02")
	p.advance("run-01")
	p.signal("recovered", "advancing", "", "run-01")
	if _, text := p.claim("hook"); text != "nothing" {
		t.Errorf("while run-02 waits, %s was claimed", text)
	}
	p.settle(first, store.Outcome{State: store.DeliveryDelivered})
	p.wantDelivered("hook", "run-00 stalled, run-01 stalled, run-02 stalled, run-01 recovered")
}

// TestALeaseOutlivesNobody: of two monitors one sends, and the other takes over
// when it died.
func TestALeaseOutlivesNobody(t *testing.T) {
	ctx := context.Background()
	p := newPost(t, 1)
	p.signal("stalled", "stalled", "quiet", "run-00")
	first, _ := p.claim("hook")
	if d := must(p.Claim(ctx, "hook", "other", time.Minute))(t); d != nil {
		t.Errorf("two monitors hold delivery %d", d.ID)
	}
	p.c.pass(15 * time.Second)
	second := must(p.Claim(ctx, "hook", "other", time.Minute))(t)
	if second == nil || second.Event != first.Event || second.Attempt != 2 {
		t.Fatalf("after the lease the other monitor got %+v, want the same message", second)
	}
	// The first was only slow, and its word does not count any more.
	p.settle(first, store.Outcome{State: store.DeliveryDead})
	p.settle(second, store.Outcome{State: store.DeliveryDelivered})
	rows := must(p.Outbox(ctx, store.OutboxFilter{All: true}))(t)
	if len(rows) != 1 || rows[0].State != store.DeliveryDelivered {
		t.Errorf("Outbox() = %+v, want one delivered", rows)
	}
}

// TestAClockSetBackHoldsNothingUp: neither a wait nor a lease lasts longer for it.
func TestAClockSetBackHoldsNothingUp(t *testing.T) {
	p := newPost(t, 1)
	p.signal("stalled", "stalled", "quiet", "run-00")
	d, _ := p.claim("hook")
	p.settle(d, store.Outcome{State: store.DeliveryWaiting, Wait: time.Minute, Pause: time.Minute})
	p.c.pass(-48 * time.Hour)
	p.c.now.Mono += 96 * time.Hour // which never goes back
	p.wantDelivered("hook", "run-00 stalled")
}

// TestASinkIsKeptForAsLongAsSomebodyServesIt: what a monitor dropped from its
// policy is kept no longer, and what another monitor serves is.
func TestASinkIsKeptForAsLongAsSomebodyServesIt(t *testing.T) {
	ctx := context.Background()
	p := newPost(t, 3)
	lookOnce(t, p.Store, 0) // host-1-aa looks
	if err := p.KeepFor(ctx, "second", []store.Wanted{{Sink: "mail"}}); err != nil {
		t.Fatal(err)
	}
	p.signal("stalled", "stalled", "quiet", "run-00")
	p.wantDelivered("hook", "run-00 stalled")
	p.wantDelivered("mail", "run-00 stalled")
	p.c.pass(time.Hour) // the first monitor is late, and nobody else knows its sink
	if err := p.KeepFor(ctx, "second", []store.Wanted{{Sink: "mail"}}); err != nil {
		t.Fatal(err)
	}
	p.signal("stalled", "stalled", "quiet", "run-01")
	p.wantDelivered("hook")
	p.wantDelivered("mail", "run-01 stalled")
}

func TestWhatWasDeliveredIsForgotten(t *testing.T) {
	ctx := context.Background()
	p := newPost(t, 5)
	p.signal("stalled", "stalled", "quiet", "run-00", "run-01", "run-02")
	p.wantDelivered("hook", "run-00 stalled, run-01 stalled, run-02 stalled")
	p.signal("stalled", "stalled", "quiet", "run-03")
	p.c.pass(time.Hour)
	for range 2 { // first what went out in another message
		if err := p.ForgetDeliveries(ctx, p.c.read().Wall); err != nil {
			t.Fatal(err)
		}
	}
	rows := must(p.Outbox(ctx, store.OutboxFilter{All: true}))(t)
	if len(rows) != 1 || rows[0].Run != "run-03" {
		t.Errorf("Outbox() = %+v, want what waits", rows)
	}
	must(p.DropDeliveries(ctx, []int64{rows[0].ID}))(t)
	p.wantDelivered("hook")
}
