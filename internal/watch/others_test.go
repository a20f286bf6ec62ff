package watch_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/store"
)

// killed is a trail on which a monitor ends as if it were killed.
type killed struct{ *store.Store }

func (killed) StopMonitor(context.Context, string) error { return nil }

// TestASecondMonitorMissesTheFirst: once when it is gone, and once when another
// has taken its place. Who ends on purpose is not missed.
func TestASecondMonitorMissesTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.open()
		defer s.Close()
		w.start(s, "nightly", 3)
		first := func(id string) (m *watch.Watch) {
			m = w.monitor(id)
			m.Report = func(watch.Report) error { return nil }
			m.Host = "box"
			return m
		}
		dies := first("first")
		open := dies.Open
		dies.Open = func(ctx context.Context) (watch.Trail, error, error) {
			trail, why, err := open(ctx)
			if err != nil {
				return nil, nil, err
			}
			return killed{trail.(*store.Store)}, why, nil
		}
		stopFirst := w.watching(dies)
		var mu sync.Mutex
		var said []string
		second := w.monitor("second")
		second.Report = func(r watch.Report) error {
			mu.Lock()
			defer mu.Unlock()
			for _, o := range r.Absent {
				said = append(said, "absent "+o.ID)
				if o.Age < 3*time.Second || o.Age > 20*time.Second {
					t.Errorf("the last look of %s is %v old", o.ID, o.Age)
				}
			}
			for _, o := range r.Returned {
				said = append(said, "back "+o.ID)
			}
			return nil
		}
		stopSecond := w.watching(second)
		defer func() { stopSecond() }()
		want := func(claim string, want ...string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(said, want) {
				t.Errorf("%s: it says %q, want %q", claim, strings.Join(said, ", "), want)
			}
		}
		pass(time.Minute)
		want("both look")
		stopFirst()
		pass(time.Minute)
		want("the first was killed", "absent first")
		stopThird := w.watching(first("third"))
		pass(time.Minute)
		want("another took its place", "absent first", "back first")
		stopThird()
		pass(time.Minute)
		want("that one ended on purpose", "absent first", "back first")
	})
}
