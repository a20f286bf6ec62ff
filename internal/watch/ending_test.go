package watch_test

import (
	"context"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/store"
)

// TestAWatchMayEndInsideALook: as --for or a signal ends it, at any instant of
// opening, reading and recording. What is still being read then is left to
// itself, so what it reads with must not go away under it.
func TestAWatchMayEndInsideALook(t *testing.T) {
	w := newWorld(t)
	storetest.Bulk{Events: 1_000, Runs: 100, Live: 100}.Trail(t, w.path)
	began := time.Now()
	look := func(ctx context.Context) error {
		m := w.monitor("m")
		m.Now, m.Interval = store.Now, watch.MinInterval
		m.Open = openReal(w.path)
		return m.Run(ctx)
	}
	whole, end := context.WithCancel(t.Context())
	m := w.monitor("m")
	m.Now, m.Open = store.Now, openReal(w.path)
	m.Report = func(r watch.Report) error { end(); return w.report(r) }
	if err := m.Run(whole); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	const times = 20
	for i := range times {
		ctx, cancel := context.WithTimeout(t.Context(), took*time.Duration(i)/times)
		if err := look(ctx); err != nil {
			t.Errorf("a watch that ended after %v of %v: %v", took*time.Duration(i)/times, took, err)
		}
		cancel()
	}
}
