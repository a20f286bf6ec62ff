package follow_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/internal/follow"
	"github.com/progmon/progmon/store"
)

// fake is a log of n rows that grows.
type fake struct {
	mu      sync.Mutex
	n, seen int64
	blind   error
	reads   int
	end     func() // called by the first look for more
}

func (f *fake) grow(by int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n += by
}

func (f *fake) Check(context.Context) error {
	if f.end != nil {
		f.end()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blind
}

func (f *fake) Changed(context.Context) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed := f.n != f.seen || f.reads == 0
	f.seen = f.n
	return changed, nil
}

func (f *fake) Events(_ context.Context, filter store.EventFilter) (rows []store.Event, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	for id := filter.Since + 1; id <= f.n && len(rows) < filter.Limit; id++ {
		rows = append(rows, store.Event{ID: id})
	}
	return rows, nil
}

func TestWhatIsThereIsToldOnceAndToTheLimit(t *testing.T) {
	for _, row := range []struct {
		n, since int64
		limit    int
		want     int64 // the last id told
	}{
		{0, 0, 0, 0}, {1, 0, 0, 1}, {999, 0, 0, 999}, {1000, 0, 0, 1000}, {2500, 0, 0, 2500},
		{2500, 2400, 0, 2500}, {2500, 9999, 0, 9999}, {2500, 0, 1, 1}, {2500, 100, 1500, 1600}, {2500, 0, 2500, 2500}, {10, 0, 99, 10},
	} {
		var told []int64
		last, err := follow.Log(t.Context(), &fake{n: row.n}, store.EventFilter{Since: row.since, Limit: row.limit}, follow.Pace{}, func(rows []store.Event) error {
			for _, r := range rows {
				told = append(told, r.ID)
			}
			return nil
		})
		var want []int64
		for id := row.since + 1; id <= row.want; id++ {
			want = append(want, id)
		}
		if err != nil || last != row.want || !slices.Equal(told, want) {
			t.Errorf("Log of %d rows since %d, %d at most = %d, %v and %d rows, want %d", row.n, row.since, row.limit, last, err, len(told), row.want)
		}
	}
}

func TestWhatIsAddedIsToldAtTheNextInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &fake{n: 3}
		began, told, quiet := time.Now(), map[int64]time.Duration{}, 0
		go func() {
			<-time.After(10*time.Second + 100*time.Millisecond)
			log.grow(2)
		}()
		last, err := follow.Log(t.Context(), log, store.EventFilter{}, follow.Pace{Interval: time.Second, For: time.Minute}, func(rows []store.Event) error {
			if len(rows) == 0 {
				quiet++
			}
			for _, r := range rows {
				told[r.ID] = time.Since(began)
			}
			return nil
		})
		if err != nil || last != 5 || time.Since(began) != time.Minute {
			t.Errorf("Log = %d, %v after %v, want 5 after a minute", last, err, time.Since(began))
		}
		if told[3] != 0 || told[5] != 11*time.Second {
			t.Errorf("told at %v, want 1 to 3 at once and 4, 5 after 11s", told)
		}
		if quiet < 50 || log.reads > 4 {
			t.Errorf("%d reads of a log that changed twice, %d quiet looks", log.reads, quiet)
		}
	})
}

func TestWhatEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		blind := &store.BlindError{Reason: store.BlindReplaced}
		gone := errors.New("nobody listens")
		for _, row := range []struct {
			claim string
			log   *fake
			limit int
			tell  error
			want  error
		}{
			{"the limit", &fake{n: 3}, 2, nil, nil},
			{"the limit, reached later", &fake{n: 1}, 2, nil, nil},
			{"a context that ends", &fake{n: 1, end: cancel}, 0, nil, context.Canceled},
			{"blindness", &fake{n: 1, blind: blind}, 0, nil, blind},
			{"who listens", &fake{n: 1}, 0, gone, gone},
		} {
			quiet := 0
			in := t.Context()
			if row.log.end != nil {
				in = ctx
			}
			_, err := follow.Log(in, row.log, store.EventFilter{Limit: row.limit}, follow.Pace{Interval: time.Second}, func(rows []store.Event) error {
				if len(rows) == 0 {
					quiet++
					row.log.grow(1)
				}
				return row.tell
			})
			if !errors.Is(err, row.want) || quiet > 2 {
				t.Errorf("%s: Log = %v after %d quiet looks, want %v", row.claim, err, quiet, row.want)
			}
		}
	})
}
