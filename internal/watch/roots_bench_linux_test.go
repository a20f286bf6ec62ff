package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// village is a monitor over n live directories, half of them of runs with rows,
// after its first looks.
func village(tb testing.TB, n int) *Watch {
	tb.Helper()
	dir := tb.TempDir()
	path, root := filepath.Join(dir, "trail.db"), filepath.Join(dir, "runs")
	self, err := presence.Self()
	if err != nil {
		tb.Fatal(err)
	}
	s, err := store.Open(tb.Context(), path)
	if err != nil {
		tb.Fatal(err)
	}
	err = s.Together(tb.Context(), func(s *store.Store) error {
		for i := 0; i < n; i += 2 {
			if _, err := s.Start(tb.Context(), store.Declared{Run: fmt.Sprintf("run-%05d", i), Process: true}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	pid := fmt.Appendf(nil, `{"boot_id":%q,"pid_ns":%q,"pid":%d,"start_ticks":%d,"epoch":1,"wrapper":{"boot_id":%q,"pid":%d,"start_ticks":%d}}`,
		self.Boot, self.Namespace, self.PID, self.Start, self.Boot, self.PID, self.Start)
	for i := range n {
		of := filepath.Join(root, fmt.Sprintf("run-%05d", i))
		if err := os.MkdirAll(of, 0o700); err != nil {
			tb.Fatal(err)
		}
		for name, text := range map[string][]byte{rundir.PIDFile: pid, rundir.LogFile: []byte("begun\n")} {
			if err := os.WriteFile(filepath.Join(of, name), text, 0o600); err != nil {
				tb.Fatal(err)
			}
		}
	}
	w := &Watch{
		Open: func(ctx context.Context) (Trail, error, error) {
			s, err := store.Open(ctx, path, store.WithExisting())
			return unsealed{s}, nil, err
		},
		Now:        store.Now,
		Thresholds: func(string, []byte) policy.Policy { return policy.Default() },
		Report:     func(r Report) error { return nil },
		Roots:      &Roots{Named: []string{root}, Deadline: time.Minute},
		Interval:   5 * time.Second, ID: "bench", Host: "host", PID: 1,
	}
	w.begin()
	tb.Cleanup(func() {
		if err := w.end(); err != nil {
			tb.Error(err)
		}
	})
	for range 3 {
		pass(tb, w)
	}
	if rows := w.Roots.Plain(w.clock, policy.Default()); len(rows) != n/2 || len(w.process) != n/2 {
		tb.Fatalf("%d directories without rows and %d with are watched, want %d of each", len(rows), len(w.process), n/2)
	}
	return w
}

// BenchmarkLookAtDirectories shows what a look costs for each directory of a
// run that goes on, however many there are.
func BenchmarkLookAtDirectories(b *testing.B) {
	for _, n := range []int{250, 1000, 4000} {
		b.Run(fmt.Sprintf("live=%d", n), func(b *testing.B) {
			w := village(b, n)
			for b.Loop() {
				pass(b, w)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/dir")
		})
	}
}
