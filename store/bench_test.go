package store_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// fresh opens a trail with one run of n steps.
func fresh(tb testing.TB, n int64) (*store.Store, *store.Run) {
	tb.Helper()
	s := storetest.OpenAt(tb, filepath.Join(tb.TempDir(), "trail.db"))
	r, err := s.Start(context.Background(), store.Declared{Run: "r", Total: cursor.Total{N: n, Known: true}})
	if err != nil {
		tb.Fatal(err)
	}
	return s, r
}

// complete finishes the steps from first to last and says what one took.
func complete(tb testing.TB, r *store.Run, first, last int64) time.Duration {
	began := time.Now()
	for pos := first; pos <= last; pos++ {
		if _, err := r.Complete(context.Background(), store.Pos(pos)); err != nil {
			tb.Error(err)
			return 0
		}
	}
	return time.Since(began) / time.Duration(last-first+1)
}

// cstep builds the same step in C, with the machine's own SQLite.
func cstep(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "cstep")
	if out, err := exec.Command("gcc", "-O2", "-o", program, "../testdata/bench/cstep.c", "-lsqlite3").CombinedOutput(); err != nil {
		b.Logf("no C to compare with: apt-get install gcc libsqlite3-dev: %v\n%s", err, out)
		return ""
	}
	return program
}

// inC is complete in C.
func inC(b *testing.B, program, path string, first, last int64) time.Duration {
	b.Helper()
	out, err := exec.Command(program, path, "r", strconv.FormatInt(first, 10), strconv.FormatInt(last, 10)).CombinedOutput()
	ns, bad := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil || bad != nil {
		b.Fatalf("cstep: %v: %s", err, out)
	}
	return time.Duration(ns)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// BenchmarkStep is one durable step, and its rate as a share of the same
// transaction in C on the same schema and disk, in turns: the bar is 0.8.
func BenchmarkStep(b *testing.B) {
	const turns, steps = 11, 400
	b.Run("ours", func(b *testing.B) {
		_, r := fresh(b, int64(b.N))
		b.ReportAllocs()
		b.ResetTimer()
		complete(b, r, 1, int64(b.N))
		b.StopTimer()
	})
	b.Run("beside-C", func(b *testing.B) {
		program := cstep(b)
		if program == "" {
			return
		}
		_, r := fresh(b, turns*steps)
		c, _ := fresh(b, turns*steps)
		var ours, theirs []time.Duration
		for i := range int64(turns) {
			theirs = append(theirs, inC(b, program, c.Path(), i*steps+1, (i+1)*steps))
			ours = append(ours, complete(b, r, i*steps+1, (i+1)*steps))
		}
		b.ReportMetric(float64(median(ours))/1000, "µs/step")
		b.ReportMetric(float64(median(theirs))/1000, "µs/step-in-C")
		b.ReportMetric(float64(median(theirs))/float64(median(ours)), "of-C")
		for range b.N {
		}
	})
}

// BenchmarkTogether is many goroutines that share transactions, as a multiple
// of the rate of one: the bars are 4 for 16 and 8 for 64. In a pool each takes
// the next step of one run, as those who claim do; apart, each has a stretch
// of the run to itself, and a transaction touches as many pages as steps.
func BenchmarkTogether(b *testing.B) {
	const turns, each = 7, 1600
	for _, c := range []struct {
		how string
		n   int64
	}{{"pool", 16}, {"pool", 64}, {"pool", 256}, {"apart", 16}, {"apart", 64}} {
		b.Run(fmt.Sprintf("%s/%d", c.how, c.n), func(b *testing.B) {
			_, r := fresh(b, turns*(each/4+each*4))
			var alone, shared []time.Duration
			at := int64(1)
			for range turns {
				alone = append(alone, complete(b, r, at, at+each/4-1))
				at += each / 4
				first, next := at, new(atomic.Int64)
				began := time.Now()
				var all sync.WaitGroup
				for i := range c.n {
					all.Go(func() {
						if c.how == "apart" {
							stretch := each * 4 / c.n
							complete(b, r, first+i*stretch, first+(i+1)*stretch-1)
							return
						}
						for pos := next.Add(1); pos <= each*4; pos = next.Add(1) {
							complete(b, r, first+pos-1, first+pos-1)
						}
					})
				}
				all.Wait()
				at += each * 4
				shared = append(shared, time.Since(began)/(each*4))
			}
			b.ReportMetric(float64(median(alone))/1000, "µs/step-alone")
			b.ReportMetric(float64(median(shared))/1000, "µs/step")
			b.ReportMetric(float64(median(alone))/float64(median(shared)), "of-one")
			for range b.N {
			}
		})
	}
}
