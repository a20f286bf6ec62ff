package store_test

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
)

// saturated is how processes fared that all wrote as fast as they could.
type saturated struct {
	steps []int64
	worst time.Duration
}

// share is what the slowest process made of what the fastest made.
func (s saturated) share() float64 {
	return float64(slices.Min(s.steps)) / float64(slices.Max(s.steps))
}

// saturate lets n processes in a role write to one trail for a while.
func saturate(tb testing.TB, role string, n int, length time.Duration) (s saturated) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trail.db")
	storetest.OpenAt(tb, path)
	var all sync.WaitGroup
	var mu sync.Mutex
	var start []io.Closer
	var ready sync.WaitGroup
	for i := range n {
		c := another(role, path, fmt.Sprint("w", i), length.String())
		in, err := c.StdinPipe()
		if err != nil {
			tb.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			tb.Fatal(err)
		}
		if err := c.Start(); err != nil {
			tb.Fatal(err)
		}
		start = append(start, in)
		ready.Add(1)
		all.Go(func() {
			lines := bufio.NewScanner(out)
			lines.Scan()
			ready.Done()
			var steps, worst int64
			lines.Scan()
			said := lines.Text()
			if _, err := fmt.Sscan(said, &steps, &worst); err != nil {
				tb.Errorf("process %d says %q", i, said)
			}
			if err := c.Wait(); err != nil {
				tb.Errorf("process %d: %v", i, err)
			}
			mu.Lock()
			defer mu.Unlock()
			s.steps = append(s.steps, steps)
			s.worst = max(s.worst, time.Duration(worst)*time.Microsecond)
		})
	}
	ready.Wait()
	for _, each := range start {
		if err := each.Close(); err != nil {
			tb.Error(err)
		}
	}
	all.Wait()
	return s
}

// TestProcessesQueue: of 16 processes that write as fast as they can none is
// told busy and none starves. How even they are is measured by
// BenchmarkProcesses; here the machine may be busy with other tests.
func TestProcessesQueue(t *testing.T) {
	s := saturate(t, "saturate", 16, time.Second)
	if slices.Min(s.steps) == 0 {
		t.Errorf("one made nothing at all: %v", s.steps)
	}
	if s.worst > 5*time.Second {
		t.Errorf("one waited for %v", s.worst)
	}
}

// BenchmarkProcesses is 16 processes that write as fast as they can, in line
// and by SQLite's own busy handler, in one run: the bars are a share of 0.6 and
// a tenth of the worst wait.
func BenchmarkProcesses(b *testing.B) {
	for _, role := range []string{"saturate", "starve"} {
		b.Run(map[string]string{"saturate": "in-line", "starve": "busy-handler"}[role], func(b *testing.B) {
			s := saturate(b, role, 16, 5*time.Second)
			total := int64(0)
			for _, n := range s.steps {
				total += n
			}
			b.ReportMetric(s.share(), "slowest/fastest")
			b.ReportMetric(float64(s.worst.Milliseconds()), "worst-ms")
			b.ReportMetric(float64(total)/5, "steps/s")
			for range b.N {
			}
		})
	}
}
