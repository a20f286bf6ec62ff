package watch

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// unsealed is a trail that is never sealed: that goes on beside the looks, and
// is no part of what one costs.
type unsealed struct{ *store.Store }

func (unsealed) Seal(context.Context) error { return nil }

// looking opens a monitor on a bulk trail, after its first look.
func looking(tb testing.TB, bulk storetest.Bulk) (*Watch, *store.Store) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trail.db")
	bulk.Trail(tb, path)
	ctx := context.Background()
	worker, err := store.Open(ctx, path)
	if err != nil {
		tb.Fatal(err)
	}
	w := &Watch{
		Open: func(ctx context.Context) (Trail, error, error) {
			s, err := store.Open(ctx, path, store.WithExisting())
			return unsealed{s}, nil, err
		},
		Now:        store.Now,
		Thresholds: func(string, []byte) policy.Policy { return policy.Default() },
		Report: func(r Report) error {
			if r.Blind != nil || r.Unrecorded != nil {
				tb.Errorf("the look was blind %+v, unrecorded %v", r.Blind, r.Unrecorded)
			}
			return nil
		},
		Interval: 5 * time.Second, ID: "bench", Host: "host", PID: 1,
	}
	w.begin()
	tb.Cleanup(func() {
		if err := w.end(); err != nil {
			tb.Error(err)
		}
		if err := worker.Close(); err != nil {
			tb.Error(err)
		}
	})
	pass(tb, w)
	return w, worker
}

func pass(tb testing.TB, w *Watch) {
	tb.Helper()
	if err := w.pass(context.Background(), false); err != nil {
		tb.Fatal(err)
	}
}

// advance has k of the live runs mark progress in the step they are at.
func advance(tb testing.TB, worker *store.Store, at int64, turn, k int) {
	tb.Helper()
	ctx := context.Background()
	err := worker.Together(ctx, func(s *store.Store) error {
		for i := range k {
			r := s.Run(fmt.Sprintf("run-%05d", i), 1)
			if _, err := r.Mark(ctx, store.Pos(at), int64(turn), 1_000_000_000); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkLook shows that a look costs what changed, however long the log is:
// at which nothing changed, and at which 1, 100 or 1000 of 1000 live runs did.
func BenchmarkLook(b *testing.B) {
	for _, events := range []int64{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprintf("rows=%d", events), func(b *testing.B) {
			w, worker := looking(b, storetest.Bulk{Events: events, Runs: 10_000, Live: 1_000})
			turn := 0
			for _, changed := range []int{0, 1, 100, 1000} {
				b.Run(fmt.Sprintf("changed=%d", changed), func(b *testing.B) {
					b.ReportAllocs()
					var used time.Duration
					for b.Loop() {
						b.StopTimer()
						if turn++; changed > 0 {
							advance(b, worker, events/10_000/2+1, turn, changed)
						}
						before := cpu()
						b.StartTimer()
						pass(b, w)
						used += cpu() - before
					}
					b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/op")
				})
			}
		})
	}
}

// TestAnIdleLookAllocatesAConstant holds the look at which nothing changed to a
// bound that does not know how many runs there are.
func TestAnIdleLookAllocatesAConstant(t *testing.T) {
	var allocs [2]float64
	for i, live := range []int64{10, 300} {
		w, _ := looking(t, storetest.Bulk{Events: 1_500, Runs: 300, Live: live})
		pass(t, w)
		allocs[i] = testing.AllocsPerRun(50, func() { pass(t, w) })
	}
	const most = 250
	if allocs[0] > most || allocs[1] > most || allocs[1] > allocs[0]+10 {
		t.Errorf("an idle look allocates %v times with 10 live runs and %v with 300, want at most %d and no more for more runs",
			allocs[0], allocs[1], most)
	}
	t.Logf("allocations: %v", allocs)
}

// TestALookAtWhichNothingChangedWritesNoVerdict: what it writes is the clock
// and the monitor.
func TestALookAtWhichNothingChangedWritesNoVerdict(t *testing.T) {
	w, _ := looking(t, storetest.Bulk{Events: 200, Runs: 10, Live: 5})
	pass(t, w)
	record := &counting{Record: w.record}
	w.record = record
	for range 3 {
		pass(t, w)
	}
	if record.looks != 3 || record.judged != 0 {
		t.Errorf("three idle looks recorded %d looks and %d runs, want 3 and 0", record.looks, record.judged)
	}
}

type counting struct {
	Record
	looks, judged int
}

func (c *counting) RecordLook(ctx context.Context, look *store.Look) error {
	c.looks++
	c.judged += len(look.Judged)
	return c.Record.RecordLook(ctx, look)
}
