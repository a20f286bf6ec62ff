package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
)

var errKilled = errors.New("killed here")

// dying is a transaction whose process dies before its nth statement.
type dying struct {
	*tx
	left int
}

func (d *dying) die() error {
	if d.left--; d.left < 0 {
		return errKilled
	}
	return nil
}

func (d *dying) exec(name string, args ...arg) (int64, error) {
	if err := d.die(); err != nil {
		return 0, err
	}
	return d.tx.exec(name, args...)
}

func (d *dying) one(name string, fn func([]value), args ...arg) (bool, error) {
	if err := d.die(); err != nil {
		return false, err
	}
	return d.tx.one(name, fn, args...)
}

// TestALookThatDiesAnywhereLeavesNothing: a monitor that ends between any two
// statements of recording a look has recorded nothing, and the next one records
// all of it once.
func TestALookThatDiesAnywhereLeavesNothing(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, run := range []string{"a", "b"} {
		if _, err := s.Start(ctx, Declared{Run: run, Total: cursor.Total{N: 3, Known: true}}); err != nil {
			t.Fatal(err)
		}
	}
	look := func() *Look {
		found, err := s.Look(ctx, Ask{Live: true})
		if err != nil {
			t.Fatal(err)
		}
		l := &Look{Monitor: MonitorRow{ID: "m", Host: "h", Interval: time.Second, LateAfter: time.Second}, Found: found,
			Blindness: []Blindness{{At: time.Now(), Reason: BlindLocked}}}
		for i := range found.Runs {
			since := found.Runs[i].Reading.Since()
			l.Judged = append(l.Judged, Judged{Run: &found.Runs[i], Changed: true, Still: true,
				Verdict: Memory{State: "stalled", Since: since},
				Signals: []Signal{{Kind: "pinged", Epoch: 1, Since: since}, {Kind: "signal.stalled", Epoch: 1, Since: since}}})
		}
		return l
	}
	if err := s.KeepFor(ctx, "m", []Wanted{{Sink: "file"}}); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		events, err := s.Events(ctx, EventFilter{})
		if err != nil {
			t.Fatal(err)
		}
		monitors, err := s.Monitors(ctx)
		if err != nil {
			t.Fatal(err)
		}
		outbox, err := s.Outbox(ctx, OutboxFilter{All: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(events) + len(monitors) + CountLandmarks(t, s) + len(outbox)
	}
	before := count()
	for n := 0; ; n++ {
		l := look()
		err := s.write(ctx, func(t *tx) error { return l.record(&dying{t, n}) })
		if err == nil {
			if n < 8 {
				t.Errorf("a look of two runs took %d statements, want more", n)
			}
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if got := count(); got != before {
			t.Fatalf("a look that died before statement %d left %d rows", n, got-before)
		}
	}
	// Two pings, two signals with a delivery each, a row about sight, a monitor,
	// two landmarks.
	if got := count() - before; got != 10 {
		t.Errorf("a look left %d rows, want 10", got)
	}
	if again := look(); again.Found.Runs[0].Memory.State != "stalled" || !again.Found.Runs[0].Reading.Told {
		t.Errorf("the next look finds %+v", again.Found.Runs[0].Memory)
	}
}
