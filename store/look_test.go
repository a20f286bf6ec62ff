package store_test

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// clocks are the three clocks of a test: one boot, moved by hand.
type clocks struct {
	mu  sync.Mutex
	now cursor.Instant
}

func newClocks() *clocks {
	return &clocks{now: cursor.Instant{Wall: time.Now().UTC(), Mono: time.Hour, Boot: "boot-1"}}
}

func (c *clocks) read() cursor.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// pass lets d of awake time pass.
func (c *clocks) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Wall, c.now.Mono = c.now.Wall.Add(d), c.now.Mono+d
}

func openLook(t *testing.T, c *clocks) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), filepath.Join(t.TempDir(), "trail.db"), store.WithNow(c.read))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func start(t *testing.T, s *store.Store, run string, total int64) *store.Run {
	t.Helper()
	r, err := s.Start(context.Background(), store.Declared{Run: run, Total: cursor.Total{N: total, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(tb testing.TB) T {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return v
	}
}

func monitorRow() store.MonitorRow {
	return store.MonitorRow{ID: "host-1-aa", Host: "host", PID: 1, Started: time.Now(), Interval: 5 * time.Second,
		LateAfter: 15 * time.Second}
}

// lookOnce looks at everything live and records it.
func lookOnce(t *testing.T, s *store.Store, since int64) store.Found {
	t.Helper()
	ctx := context.Background()
	found := must(s.Look(ctx, store.Ask{Since: since, Live: true}))(t)
	look := store.Look{Monitor: monitorRow(), Found: found}
	for i := range found.Runs {
		look.Judged = append(look.Judged, store.Judged{Run: &found.Runs[i]})
	}
	if err := s.RecordLook(ctx, &look); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSilenceGoesOnInAnotherProcess(t *testing.T) {
	ctx := context.Background()
	c := newClocks()
	s := openLook(t, c)
	r := start(t, s, "nightly", 3)
	must(r.Complete(ctx, store.Pos(1)))(t)
	silence := func() time.Duration {
		clock := must(s.Clock(ctx, 0))(t)
		got := must(s.Readings(ctx, clock, []string{"nightly"}))(t)[0]
		if got.Unsure {
			t.Error("the silence is unsure")
		}
		return clock.Now().Sub(got.AdvancedAt).Round(time.Second)
	}
	// The stamp of the row is the database's own: the test's clock catches up
	// with it, however slow the machine is.
	c.pass(time.Since(c.read().Wall))
	base := silence()
	c.pass(7 * time.Minute)
	if got := silence() - base; got != 7*time.Minute {
		t.Errorf("silence before any look = %v, want 7m", got)
	}
	lookOnce(t, s, 0)
	c.pass(3 * time.Minute)
	if got := silence() - base; got != 10*time.Minute {
		t.Errorf("silence after a look = %v, want 10m", got)
	}
	// The wall clock jumps, and the machine sleeps for eight hours.
	c.mu.Lock()
	c.now.Wall = c.now.Wall.Add(20 * time.Hour)
	c.mu.Unlock()
	if got := silence() - base; got != 10*time.Minute {
		t.Errorf("silence after a jump of the wall clock = %v, want 10m", got)
	}
	lookOnce(t, s, 0)
	// Another boot: what the monotonic clock counts since its start is charged.
	c.mu.Lock()
	c.now.Boot, c.now.Mono = "boot-2", 2*time.Minute
	c.mu.Unlock()
	if got := silence() - base; got != 12*time.Minute {
		t.Errorf("silence in the next boot = %v, want 12m", got)
	}
}

func TestALookSeesWhatChanged(t *testing.T) {
	ctx := context.Background()
	c := newClocks()
	s := openLook(t, c)
	a, b := start(t, s, "a", 2), start(t, s, "b", 2)
	found := lookOnce(t, s, 0)
	if len(found.Runs) != 2 {
		t.Fatalf("the first look saw %d runs, want 2", len(found.Runs))
	}
	if found = lookOnce(t, s, found.Newest); len(found.Runs) != 2 {
		t.Fatalf("live: %d runs, want 2", len(found.Runs))
	}
	must(b.Complete(ctx, store.Pos(1)))(t)
	next := must(s.Look(ctx, store.Ask{Since: found.Newest}))(t)
	if len(next.Runs) != 1 || next.Runs[0].Reading.Run != "b" || next.Runs[0].Reading.Position != 1 {
		t.Errorf("after a step of b the look saw %+v", next.Runs)
	}
	due := func(time.Time, []string) []string { return []string{"b", "a"} }
	next = must(s.Look(ctx, store.Ask{Since: found.Newest, Due: due}))(t)
	if len(next.Runs) != 2 {
		t.Errorf("due and changed: %d runs, want 2", len(next.Runs))
	}
	must(a.Complete(ctx, store.Pos(1)))(t)
	must(a.Complete(ctx, store.Pos(2)))(t)
	if live := must(s.Live(ctx))(t); !slices.Equal(live, []string{"b"}) {
		t.Errorf("live = %q, want only b", live)
	}
}

func TestOfTwoMonitorsOneIsHeard(t *testing.T) {
	ctx := context.Background()
	c := newClocks()
	s := openLook(t, c)
	r := start(t, s, "nightly", 3)
	look := func() *store.Look {
		found := must(s.Look(ctx, store.Ask{Live: true}))(t)
		reading := found.Runs[0].Reading
		return &store.Look{Monitor: monitorRow(), Found: found, Judged: []store.Judged{{
			Run: &found.Runs[0], Changed: true, Still: true,
			Verdict: store.Memory{State: "stalled", Reason: "quiet", Since: reading.Since(), Data: []byte(`{"told":1}`)},
			Signals: []store.Signal{{Kind: "signal.stalled", Epoch: 1, Since: reading.Since(), Reason: "quiet"}},
		}}}
	}
	one, two := look(), look()
	for _, l := range []*store.Look{one, two} {
		if err := s.RecordLook(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	if one.Judged[0].Moved || one.Judged[0].Signals[0].Event == 0 {
		t.Errorf("the first monitor was not heard: %+v", one.Judged[0])
	}
	if !two.Judged[0].Moved || two.Judged[0].Signals[0].Event != 0 {
		t.Errorf("the second monitor was heard too: %+v", two.Judged[0])
	}
	if m := look().Found.Runs[0].Memory; m.State != "stalled" || string(m.Data) != `{"told":1}` {
		t.Errorf("what is remembered: %+v", m)
	}
	// A run that moves between reading and recording is judged again.
	late := look()
	must(r.Complete(ctx, store.Pos(1)))(t)
	late.Judged[0].Signals[0].Kind = "signal.escalated"
	if err := s.RecordLook(ctx, late); err != nil {
		t.Fatal(err)
	}
	if !late.Judged[0].Moved {
		t.Error("a verdict on a run that has moved since was recorded")
	}
	signals := must(s.Events(ctx, store.EventFilter{Run: "nightly", Newest: true, Signals: true}))(t)
	if len(signals) != 1 || signals[0].Kind != "signal.stalled" {
		t.Errorf("signals = %+v, want one stalled", signals)
	}
	monitors := must(s.Monitors(ctx))(t)
	if len(monitors) != 1 || monitors[0].Looks != 3 || monitors[0].LastEvent != one.Found.Newest {
		t.Errorf("monitors = %+v: three looks are wanted, and the rows seen by the first", monitors)
	}
}

func TestRunsThatAreNotThereAreBlind(t *testing.T) {
	ctx := context.Background()
	s := openLook(t, newClocks())
	start(t, s, "here", 1)
	clock := must(s.Clock(ctx, 0))(t)
	got := must(s.Readings(ctx, clock, []string{"nope", "here", "../x", "a\x00b"}))(t)
	want := []string{store.BlindNoTrail, "", store.BlindNoTrail, store.BlindNoTrail}
	for i := range want {
		if got[i].Blind.Reason != want[i] {
			t.Errorf("reading %q is blind %q, want %q", got[i].Run, got[i].Blind.Reason, want[i])
		}
	}
}

func TestALandmarkIsKeptForWhatIsCountedFrom(t *testing.T) {
	ctx := context.Background()
	c := newClocks()
	s := openLook(t, c)
	r := start(t, s, "nightly", 100)
	since := int64(0)
	for pos := int64(1); pos <= 20; pos++ {
		must(r.Complete(ctx, store.Pos(pos)))(t)
		c.pass(time.Minute)
		since = lookOnce(t, s, since).Newest
	}
	clock := must(s.Clock(ctx, 0))(t)
	got := must(s.Readings(ctx, clock, []string{"nightly"}))(t)[0]
	if n := store.CountLandmarks(t, s); n != 2 {
		t.Errorf("%d landmarks, want 2: the start of the run and its last advance", n)
	}
	if d := clock.Now().Sub(got.StartedAt).Round(time.Minute); d < 19*time.Minute {
		t.Errorf("elapsed %v, want about 20m", d)
	}
}

func TestChangedSeesTheCommitsOfOthers(t *testing.T) {
	ctx := context.Background()
	s := openLook(t, newClocks())
	reader := must(store.OpenReader(ctx, s.Path()))(t)
	t.Cleanup(func() {
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, want := range []bool{true, false, false, true, false} {
		if i == 3 {
			start(t, s, "a", 1)
		}
		if got := must(reader.Changed(ctx))(t); got != want {
			t.Errorf("call %d: Changed = %v, want %v", i, got, want)
		}
	}
}
