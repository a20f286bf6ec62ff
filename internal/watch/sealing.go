package watch

import (
	"context"
	"time"
)

// The log is sealed when so many rows are not, or when it has been quiet for
// so long with rows that are not.
const (
	sealRows  = 256
	sealQuiet = time.Minute
)

// sealing decides when the log is sealed, and does it beside the loop so that
// no look waits for it.
type sealing struct {
	newest int64         // the newest row seen
	at     time.Duration // when it was first seen, on the monotonic clock
	behind int64         // rows that may not be sealed
	done   chan error    // of the sealing that is going on; nil when there is none
}

// saw notes the newest row of a look.
func (s *sealing) saw(newest int64, now time.Duration) {
	if newest > s.newest {
		s.behind += newest - s.newest
		s.newest, s.at = newest, now
	}
}

func (s *sealing) wanted(now time.Duration) bool {
	return s.behind >= sealRows || s.behind > 0 && now-s.at >= sealQuiet
}

// seal seals the log when it is time. A single look seals what a second is
// enough for, and the next one goes on. That a log is not sealed is no fault of
// a look: db verify says which rows are not.
func (w *Watch) seal(ctx context.Context, once bool) {
	s := &w.sealing
	if s.done != nil {
		select {
		case <-s.done:
			s.done = nil
		default:
			return
		}
	}
	switch {
	case w.record == nil:
	case once:
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = w.record.Seal(ctx)
	case s.wanted(w.Now().Mono):
		record, done := w.record, make(chan error, 1)
		s.behind, s.done = 0, done
		go func() { done <- record.Seal(ctx) }()
	}
}

// wait waits for a sealing that is going on.
func (s *sealing) wait() {
	if s.done != nil {
		<-s.done
		s.done = nil
	}
}
