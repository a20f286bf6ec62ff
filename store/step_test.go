package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// TestEveryWriteIsFenced: a replaced worker changes nothing, whatever it
// writes, and leaves rows that can be counted and cannot flood.
func TestEveryWriteIsFenced(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	old, err := s.Start(ctx, store.Declared{Run: "r", Steps: []string{"a", "b", "c"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Complete(ctx, store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	now, err := s.Takeover(ctx, "r", 0)
	if err != nil || now.Epoch() != 2 {
		t.Fatalf("Takeover() = %v, %v, want epoch 2", now, err)
	}
	writes := map[string]func() error{
		"begin":      func() error { _, err := old.Begin(ctx, store.Pos(2), 0); return err },
		"complete":   func() error { _, err := old.Complete(ctx, store.Pos(2)); return err },
		"again":      func() error { _, err := old.Complete(ctx, store.Pos(1)); return err },
		"new":        func() error { _, err := old.Complete(ctx, store.Pos(9)); return err },
		"by name":    func() error { _, err := old.Complete(ctx, store.Named("b")); return err },
		"no name":    func() error { _, err := old.Complete(ctx, store.Named("z")); return err },
		"fail":       func() error { _, err := old.Fail(ctx, store.Pos(2), "x"); return err },
		"skip":       func() error { _, err := old.Skip(ctx, store.Pos(2)); return err },
		"skip many":  func() error { _, err := old.Skip(ctx, store.Pos(2), store.Pos(3)); return err },
		"cancel":     func() error { _, err := old.CancelStep(ctx, store.Pos(2)); return err },
		"mark":       func() error { _, err := old.Mark(ctx, store.Pos(2), 1, 2); return err },
		"claim":      func() error { _, err := old.Claim(ctx); return err },
		"hold":       func() error { _, err := old.Hold(ctx, time.Hour, ""); return err },
		"resume":     func() error { _, err := old.Resume(ctx); return err },
		"finish":     func() error { _, err := old.Finish(ctx, cursor.Exit{}); return err },
		"set total":  func() error { _, err := old.SetTotal(ctx, cursor.Total{N: 9, Known: true}); return err },
		"observe":    func() error { _, err := old.Observe(ctx, 50, nil); return err },
		"note":       func() error { _, err := old.Note(ctx, "x"); return err },
		"take over":  func() error { _, err := s.Takeover(ctx, "r", 1); return err },
		"the future": func() error { _, err := s.Run("r", 3).Complete(ctx, store.Pos(2)); return err },
	}
	for range 3 {
		for name, write := range writes {
			if err := write(); !errors.Is(err, store.ErrFenced) {
				t.Errorf("%s = %v, want ErrFenced", name, err)
			}
		}
	}
	ack, err := now.Note(ctx, "mine")
	if err != nil || ack.Position != 1 {
		t.Errorf("position %d, %v, want 1", ack.Position, err)
	}
	var refused int
	if err := hostile(t, s.Path()).QueryRow(`SELECT refused FROM cursor WHERE run_id = 'r'`).Scan(&refused); err != nil || refused == 0 || refused > 10 {
		t.Errorf("%d refusals are on record of %d, %v, want a few", refused, 3*len(writes), err)
	}
}

// TestNoRun: a run that is not there is ErrNoRun for every write.
func TestNoRun(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r := s.Run("nobody", 1)
	for name, write := range map[string]func() error{
		"begin":     func() error { _, err := r.Begin(ctx, store.Pos(2), 0); return err },
		"complete":  func() error { _, err := r.Complete(ctx, store.Pos(2)); return err },
		"by name":   func() error { _, err := r.Complete(ctx, store.Named("b")); return err },
		"skip many": func() error { _, err := r.Skip(ctx, store.Pos(2), store.Pos(3)); return err },
		"mark":      func() error { _, err := r.Mark(ctx, store.Pos(2), 1, 2); return err },
		"claim":     func() error { _, err := r.Claim(ctx); return err },
		"hold":      func() error { _, err := r.Hold(ctx, time.Hour, ""); return err },
		"finish":    func() error { _, err := r.Finish(ctx, cursor.Exit{}); return err },
		"set total": func() error { _, err := r.SetTotal(ctx, cursor.Total{N: 9, Known: true}); return err },
		"take over": func() error { _, err := s.Takeover(ctx, "nobody", 0); return err },
		"cancel":    func() error { _, err := s.Cancel(ctx, "nobody", "", ""); return err },
	} {
		if err := write(); !errors.Is(err, store.ErrNoRun) {
			t.Errorf("%s = %v, want ErrNoRun", name, err)
		}
	}
}

// TestNames: a name is a number, a new step where there may be one, or an error.
func TestNames(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	closed, err := s.Start(ctx, store.Declared{Run: "closed", Steps: []string{"build", "test", "deploy"}})
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Start(ctx, store.Declared{Run: "open"})
	if err != nil {
		t.Fatal(err)
	}
	if ack, err := closed.Complete(ctx, store.Named("deploy")); err != nil || ack.Position != 1 {
		t.Errorf("Complete(deploy) = %+v, %v", ack, err)
	}
	if _, err := closed.Complete(ctx, store.Named("depoly")); !errors.Is(err, store.ErrNoStep) {
		t.Errorf("Complete(depoly) = %v, want ErrNoStep", err)
	}
	for i, name := range []string{"one", "two", "one"} {
		ack, err := open.Complete(ctx, store.Named(name))
		if want := min(int64(i+1), 2); err != nil || ack.Position != want {
			t.Errorf("Complete(%s) = %+v, %v, want position %d", name, ack, err, want)
		}
	}
	if _, err := open.Begin(ctx, store.StepRef{Pos: 7, Name: "seven"}, 0); err != nil {
		t.Error(err)
	}
	if _, err := open.Complete(ctx, store.StepRef{Pos: 7, Name: "eight"}); !errors.Is(err, store.ErrRefused) {
		t.Errorf("a second name for a step = %v, want ErrRefused", err)
	}
	if ack, err := open.Complete(ctx, store.Named("seven")); err != nil || ack.Position != 3 {
		t.Errorf("Complete(seven) = %+v, %v, want position 3", ack, err)
	}
}

// TestNoStepIsClaimedTwice: many claimers, in two processes' worth of Stores.
func TestNoStepIsClaimedTwice(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "trail.db")
	a, b := storetest.OpenAt(t, path), storetest.OpenAt(t, path)
	const n = 200
	if _, err := a.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: n, Known: true}}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	claimed := sync.Map{}
	for i := range 16 {
		r := []*store.Store{a, b}[i%2].Run("r", 1)
		all.Go(func() {
			for {
				c, err := r.Claim(ctx)
				if errors.Is(err, store.ErrNoStep) {
					return
				}
				if _, twice := claimed.LoadOrStore(c.Pos, true); err != nil || twice {
					t.Errorf("Claim() = %+v, %v, twice %v", c, err, twice)
					return
				}
				if _, err := r.Complete(ctx, store.Pos(c.Pos)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if ack, err := a.Run("r", 1).Note(ctx, ""); err != nil || ack.Position != n {
		t.Errorf("position %d, %v, want %d", ack.Position, err, n)
	}
	storetest.Verify(t, a.Reader)
}

// TestClaimsGoOnWhereTheWorkerDied is field case 55: what is done stays done,
// what was in hand is claimed again, lowest first.
func TestClaimsGoOnWhereTheWorkerDied(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 7, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := r.Claim(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, pos := range []int64{1, 2, 4, 5} {
		if _, err := r.Complete(ctx, store.Pos(pos)); err != nil {
			t.Fatal(err)
		}
	}
	r, err = s.Takeover(ctx, "r", 1)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(pos, attempt int64) {
		t.Helper()
		if c, err := r.Claim(ctx); err != nil || c.Pos != pos || c.Attempt != attempt {
			t.Errorf("Claim() = %+v, %v, want step %d, attempt %d", c, err, pos, attempt)
		}
	}
	claim(3, 2)
	claim(6, 1)
	if _, err := r.Fail(ctx, store.Pos(3), "no"); err != nil {
		t.Fatal(err)
	}
	claim(3, 3)
	claim(7, 1)
	if _, err := r.Claim(ctx); !errors.Is(err, store.ErrNoStep) {
		t.Errorf("Claim() = %v, want ErrNoStep", err)
	}
}

// TestAClaimIsQuickAmongMany: the cost of a claim does not grow with the steps
// that are begun, however long the first of them takes.
func TestAClaimIsQuickAmongMany(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	const n = 60_000
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: n, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	// The first step is begun and never ends, so the frontier stays at 0.
	if _, err := r.Claim(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := ordinary(t, s.Path()).Exec(fmt.Sprintf(
		`UPDATE step SET state = 'done' WHERE run_id = 'r' AND pos BETWEEN 2 AND %d`, n-1000)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i := range int64(500) {
		if c, err := r.Claim(ctx); err != nil || c.Pos != n-999+i {
			t.Fatalf("Claim() = %+v, %v, want step %d", c, err, n-999+i)
		}
	}
	if each := time.Since(began) / 500; each > 10*time.Millisecond {
		t.Errorf("a claim takes %v", each)
	}
}

// TestAStepFailsAgainWithoutABegin: a worker that says no more than that it
// failed is taken at its word each time, and the loop it is in can be seen.
func TestAStepFailsAgainWithoutABegin(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 3, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := r.Fail(ctx, store.Pos(1), "no luck"); err != nil {
			t.Fatal(err)
		}
	}
	clock, err := s.Clock(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Readings(ctx, clock, []string{"r"})
	if err != nil || len(got) != 1 || got[0].Failed != 3 || got[0].Rows != 3 || got[0].Position != 0 {
		t.Errorf("Readings() = %+v, %v, want 3 failed attempts and rows at 0", got, err)
	}
	events, err := s.Events(ctx, store.EventFilter{Run: "r"})
	if err != nil || len(events) != 4 || *events[1].Attempt != 1 || *events[3].Attempt != 3 {
		t.Errorf("Events() = %+v, %v, want attempts 1 to 3", events, err)
	}
}

// TestABudgetIsDeclaredOnce: to begin again neither renews a budget nor ends
// it, by our API or by plain SQL, until there was an advance.
func TestABudgetIsDeclaredOnce(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 3, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(expect time.Duration) func() error {
		return func() error { _, err := r.Begin(ctx, store.Pos(1), expect); return err }
	}
	sql := func(text string) func() error {
		return func() error { _, err := hostile(t, s.Path()).Exec(text); return err }
	}
	declared := int64(0)
	for i, c := range []struct {
		act   func() error
		renew bool
		until time.Duration
	}{
		{begin(time.Hour), true, time.Hour},
		{begin(0), false, time.Hour},
		{begin(time.Hour), false, time.Hour},
		{begin(2 * time.Hour), false, time.Hour},
		{sql(`UPDATE step SET state = 'running' WHERE run_id = 'r' AND pos = 1`), false, time.Hour},
		{sql(`UPDATE step SET state = 'running', expect_ms = NULL WHERE run_id = 'r' AND pos = 1`), false, time.Hour},
		{func() error { _, err := r.Mark(ctx, store.Pos(1), 1, 9); return err }, false, time.Hour},
		{begin(0), false, time.Hour},
		{begin(2 * time.Hour), true, 2 * time.Hour},
		{begin(time.Hour), false, 2 * time.Hour},
	} {
		if err := c.act(); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
		clock, err := s.Clock(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Readings(ctx, clock, []string{"r"})
		if err != nil || len(got) != 1 || len(got[0].Budgets) != 1 {
			t.Fatalf("act %d: Readings() = %+v, %v, want one budget", i, got, err)
		}
		b := got[0].Budgets[0]
		if renewed := b.Event != declared; renewed != c.renew || b.Until.Sub(b.At) != c.until {
			t.Errorf("act %d: budget of %v, renewed %v, want %v, %v", i, b.Until.Sub(b.At), renewed, c.until, c.renew)
		}
		declared = b.Event
	}
}

// TestTotals: a raised total is laid out, a lowered one bounds the claims, and
// one too large to lay out is refused with a way out.
func TestTotals(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t)
	r, err := s.Start(ctx, store.Declared{Run: "r", Total: cursor.Total{N: 2, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.SetTotal(ctx, cursor.Total{N: 50_000, Known: true}); err != nil {
		t.Fatal(err)
	}
	var rows int64
	if err := hostile(t, s.Path()).QueryRow(`SELECT count(*) FROM step`).Scan(&rows); err != nil || rows != 50_000 {
		t.Errorf("%d rows are laid out, %v, want 50000", rows, err)
	}
	if _, err := r.SetTotal(ctx, cursor.Total{N: 1, Known: true}); err != nil {
		t.Fatal(err)
	}
	if c, err := r.Claim(ctx); err != nil || c.Pos != 1 {
		t.Errorf("Claim() = %+v, %v", c, err)
	}
	if _, err := r.Claim(ctx); !errors.Is(err, store.ErrNoStep) {
		t.Errorf("Claim() beyond the total = %v, want ErrNoStep", err)
	}
	for _, err := range []error{
		func() error { _, err := r.SetTotal(ctx, cursor.Total{N: 1_000_001, Known: true}); return err }(),
		func() error {
			_, err := s.Start(ctx, store.Declared{Run: "big", Total: cursor.Total{N: 1 << 40, Known: true}})
			return err
		}(),
	} {
		if !errors.Is(err, store.ErrRefused) {
			t.Errorf("a total too large = %v, want ErrRefused", err)
		}
	}
}
