package watch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// world is a bubble's trail, its clocks, and what its monitors say.
type world struct {
	t    *testing.T
	path string

	mu     sync.Mutex
	origin time.Time
	asleep time.Duration // awake time that was slept through
	step   time.Duration // of the wall clock
	said   []string
	stop   time.Duration // the next look is stopped for so long

	patience time.Duration // with a database that is locked
}

func newWorld(t *testing.T) *world {
	return &world{t: t, path: filepath.Join(t.TempDir(), "trail.db"), origin: time.Now(), patience: 2 * time.Second}
}

// now is the bubble's clock as three: the monotonic one stands still while the
// machine sleeps, the wall clock is where it was put.
func (w *world) now() cursor.Instant {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	return cursor.Instant{Wall: now.Add(w.step).UTC(), Mono: time.Hour + now.Sub(w.origin) - w.asleep, Boot: "boot"}
}

func (w *world) open() *store.Store {
	w.t.Helper()
	s, err := store.Open(w.t.Context(), w.path, store.WithNow(w.now))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// short is a policy for tests: a window of 10 s, a stall of 30 s.
func short() policy.Policy {
	p := policy.Default()
	p.IdleWindow, p.StallAfter, p.EscalateAfter = 10*time.Second, 30*time.Second, 2*time.Minute
	p.StartWithin, p.ExitGrace, p.CheckpointInterval, p.HoldCap = 20*time.Second, 10*time.Second, 5*time.Second, 10*time.Minute
	return p
}

func (w *world) monitor(id string) *watch.Watch {
	return &watch.Watch{
		Open: func(ctx context.Context) (watch.Trail, error, error) {
			s, err := store.Open(ctx, w.path, store.WithNow(w.now), store.WithExisting(), store.WithBusyTimeout(w.patience))
			if err != nil {
				return nil, nil, err
			}
			return s, nil, nil
		},
		Now:        w.now,
		Thresholds: func(string, []byte) policy.Policy { return short() },
		Report:     w.report,
		Interval:   time.Second,
		ID:         id, Host: "host", PID: 1,
	}
}

func (w *world) report(r watch.Report) error {
	w.mu.Lock()
	stop := w.stop
	w.stop = 0
	w.mu.Unlock()
	if stop > 0 {
		<-time.After(stop)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	at := time.Since(w.origin).Truncate(time.Second)
	say := func(format string, args ...any) {
		w.said = append(w.said, fmt.Sprintf("%v ", at)+fmt.Sprintf(format, args...))
	}
	for _, c := range r.Changes {
		if c.IsNew() {
			say("%s %s", c.Verdict.Reading.Run, c.Verdict.Says())
		}
		for _, s := range c.Told {
			say("%s signal %s", c.Verdict.Reading.Run, s.Kind)
		}
	}
	if r.Unrecorded != nil {
		say("unrecorded %v", r.Unrecorded)
	}
	if r.Blind != nil {
		say("blind %s", r.Blind.Reason)
	}
	if r.Missed > 0 {
		say("missed %d", r.Missed)
	}
	if r.Sighted != nil {
		say("sighted after %v", r.Sighted.For.Round(time.Second))
	}
	return nil
}

// says gives what was said so far with the word in it.
func (w *world) says(word string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []string
	for _, s := range w.said {
		if strings.Contains(s, word) {
			found = append(found, s)
		}
	}
	return found
}

// pass lets time pass in the bubble.
func pass(d time.Duration) { <-time.After(d) }

const half = 500 * time.Millisecond

// watching runs a monitor until the returned function is called.
func (w *world) watching(m *watch.Watch) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	pass(half) // from here on the test acts between looks
	return func() {
		w.t.Helper()
		cancel()
		if err := <-done; err != nil {
			w.t.Errorf("the monitor ended with %v", err)
		}
	}
}

func (w *world) start(s *store.Store, run string, total int64) *store.Run {
	w.t.Helper()
	r, err := s.Start(w.t.Context(), store.Declared{Run: run, Total: cursor.Total{N: total, Known: true}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) done(r *store.Run, pos int64) {
	w.t.Helper()
	if _, err := r.Complete(w.t.Context(), store.Pos(pos)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) want(word string, want ...string) {
	w.t.Helper()
	if got := w.says(word); !slices.Equal(got, want) {
		w.t.Errorf("of %q was said:\n  %s\nwant:\n  %s", word, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func (w *world) events(s *store.Store) []store.Event {
	w.t.Helper()
	events, err := s.Events(w.t.Context(), store.EventFilter{Limit: 100_000})
	if err != nil {
		w.t.Fatal(err)
	}
	return events
}

// openReal opens the trail with the clocks of this machine.
func openReal(path string) func(context.Context) (watch.Trail, error, error) {
	return func(ctx context.Context) (watch.Trail, error, error) {
		s, err := store.Open(ctx, path, store.WithExisting())
		if err != nil {
			return nil, nil, err
		}
		return s, nil, nil
	}
}

// background runs a monitor in real time until the returned function is called.
func (w *world) background(group *sync.WaitGroup, m *watch.Watch) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	group.Go(func() {
		if err := m.Run(ctx); err != nil {
			w.t.Errorf("the monitor ended with %v", err)
		}
	})
	return cancel
}
