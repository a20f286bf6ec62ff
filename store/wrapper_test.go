package store_test

import (
	"errors"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

func TestAsideMovesNothing(t *testing.T) {
	s := storetest.Open(t)
	r, err := s.Start(t.Context(), store.Declared{Run: "r1", Total: cursor.Total{N: 3, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(t.Context(), store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Takeover(t.Context(), "r1", 1); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"evidence", "run.stop", "run.adopted", "review.accepted", "review.rejected"} {
		ack, err := s.Aside(t.Context(), "r1", store.Aside{Kind: kind, Who: "me", Reason: "why", Data: []byte(`{"a":1}`)})
		if err != nil || ack.Position != 1 {
			t.Errorf("Aside(%s) = %+v, %v", kind, ack, err)
		}
	}
	if _, err := s.Aside(t.Context(), "none", store.Aside{Kind: "evidence"}); !errors.Is(err, store.ErrNoRun) {
		t.Errorf("Aside of no run = %v, want ErrNoRun", err)
	}
	if _, err := s.Aside(t.Context(), "r1", store.Aside{Kind: "hearsay"}); !errors.Is(err, store.ErrRefused) {
		t.Errorf("Aside of an unknown kind = %v, want ErrRefused", err)
	}
	asked, err := s.Asked(t.Context(), "r1", 0)
	if err != nil || len(asked) != 1 || asked[0].Kind != "run.stop" || asked[0].Epoch != 2 {
		t.Errorf("Asked = %+v, %v, want the request to stop epoch 2", asked, err)
	}
}

// What a monitor has told is not told again, and is no error.
func TestAWrapperSignalsOnce(t *testing.T) {
	s := storetest.Open(t)
	r, err := s.Start(t.Context(), store.Declared{Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	sig := store.Signal{Kind: "signal.stalled", Since: 1, Reason: "quiet", Data: []byte(`{}`)}
	for range 2 {
		if err := r.Signal(t.Context(), sig); err != nil {
			t.Fatal(err)
		}
	}
	if asked, err := s.Asked(t.Context(), "r1", 0); err != nil || len(asked) != 1 || asked[0].Reason != "quiet" {
		t.Errorf("Asked = %+v, %v, want one signal", asked, err)
	}
	if _, err := s.Takeover(t.Context(), "r1", 1); err != nil {
		t.Fatal(err)
	}
	if err := r.Signal(t.Context(), store.Signal{Kind: "signal.escalated", Since: 1}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a signal of an epoch that is over = %v, want ErrFenced", err)
	}
}

func TestRespawnsCountSinceTheLastNewPosition(t *testing.T) {
	s := storetest.Open(t)
	r, err := s.Start(t.Context(), store.Declared{Run: "r1", Total: cursor.Total{N: 3, Known: true}})
	if err != nil {
		t.Fatal(err)
	}
	wants := func(want int64) {
		t.Helper()
		if got, err := s.Respawns(t.Context(), "r1"); err != nil || got != want {
			t.Errorf("Respawns = %d, %v, want %d", got, err, want)
		}
	}
	respawn := func() {
		t.Helper()
		if r, err = s.Takeover(t.Context(), "r1", r.Epoch()); err != nil {
			t.Fatal(err)
		}
		if err := r.Signal(t.Context(), store.Signal{Kind: "signal.respawned", Since: 1}); err != nil {
			t.Fatal(err)
		}
	}
	wants(0)
	respawn()
	respawn()
	wants(2)
	if _, err := r.Complete(t.Context(), store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	wants(0)
	respawn()
	wants(1)
}

// A monitor whose look was read before the wrapper told the same writes no row
// of it, and uses up no id.
func TestAMonitorAndAWrapperTellOnce(t *testing.T) {
	s := storetest.Open(t)
	r, err := s.Start(t.Context(), store.Declared{Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Look(t.Context(), store.Ask{All: true})
	if err != nil {
		t.Fatal(err)
	}
	signals := []store.Signal{{Kind: "signal.stalled", Epoch: 1, Since: 1}, {Kind: "signal.wrap-up", Epoch: 1, Since: 1}}
	for _, sig := range signals {
		if err := r.Signal(t.Context(), sig); err != nil {
			t.Fatal(err)
		}
	}
	signals[1].Since = 0 // told in another episode of the epoch
	look := store.Look{Monitor: store.MonitorRow{ID: "m1", Interval: 1e9, LateAfter: 3e9}, Found: found,
		Judged: []store.Judged{{Run: &found.Runs[0], Changed: true, Verdict: store.Memory{State: "stalled", Since: 1}, Signals: signals}}}
	if err := s.RecordLook(t.Context(), &look); err != nil {
		t.Fatal(err)
	}
	for _, sig := range look.Judged[0].Signals {
		if sig.Event != 0 {
			t.Errorf("%s was told twice: %+v", sig.Kind, sig)
		}
	}
}
