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

// seal seals the log when it is time. A single look (once) waits for it.
func (w *Watch) seal(ctx context.Context, once bool) error {
	s := &w.sealing
	if s.done != nil {
		select {
		case <-s.done:
			s.done = nil
		default:
			return nil
		}
	}
	record, ok := w.record.(Sealer)
	if !ok || !once && !s.wanted(w.Now().Mono) {
		return nil
	}
	s.behind = 0
	if once {
		// Whether the log is sealed is not what was asked: db verify tells.
		_ = record.Seal(ctx)
		return nil
	}
	done := make(chan error, 1)
	s.done = done
	go func() { done <- record.Seal(ctx) }()
	return nil
}

// wait waits for a sealing that is going on.
func (s *sealing) wait() {
	if s.done != nil {
		<-s.done
		s.done = nil
	}
}
