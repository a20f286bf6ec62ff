package replay

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/progmon/progmon/store"
)

// pages is a log that is given a row at a time.
type pages struct {
	rows []store.Event
	fail error
}

func (p pages) Events(_ context.Context, filter store.EventFilter) ([]store.Event, error) {
	for _, e := range p.rows {
		if e.ID > filter.Since {
			return []store.Event{e}, nil
		}
	}
	return nil, p.fail
}

func recorded(id int64, at int64, kind string) store.Event {
	return store.Event{ID: id, At: time.Unix(at, 0), Run: "r1", Epoch: 1, Kind: kind}
}

func TestHistoryIsATape(t *testing.T) {
	log := pages{rows: []store.Event{
		recorded(3, 1000, "run.started"), recorded(4, 1010, "note"), recorded(5, 1020, "resume"),
		recorded(6, 9999, "resume"), // a stamp of the future
		recorded(8, 1040, "resume"),
		recorded(9, 700, "resume"), // a clock that stepped back
		recorded(10, 1050, "signal.stalled"),
	}}
	lines, failed := History(t.Context(), log, "", nil, time.Unix(2000, 0))
	var got []int64
	for l := range lines {
		got = append(got, int64(l.At/time.Second))
	}
	if want := []int64{1000, 1020, 1040, 1040, 1040, 2000}; !slices.Equal(got, want) || failed() != nil {
		t.Errorf("at %v, %v, want %v", got, failed(), want)
	}

	log.fail = errors.New("locked")
	lines, failed = History(t.Context(), log, "", nil, time.Unix(2000, 0))
	for range lines {
	}
	if !errors.Is(failed(), log.fail) {
		t.Errorf("failed() = %v, want %v", failed(), log.fail)
	}
}
