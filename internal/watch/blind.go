package watch

import (
	"context"
	"errors"

	"github.com/progmon/progmon/store"
)

// blinded is the report of a look that could not see.
func (w *Watch) blinded(err error) Report {
	reason, detail := why(err)
	now := w.Now()
	if w.blind == nil || w.blind.Reason != reason {
		if w.blind == nil {
			w.blind, w.blindAt = &Sight{Since: now.Wall}, now
		}
		// The log is told when it can be written again.
		w.tell = append(w.tell, store.Blindness{At: now.Wall, Reason: reason})
	}
	w.blind.Reason, w.blind.Detail = reason, detail
	w.blind.For = now.Mono - w.blindAt.Mono
	w.blind.Looks++
	sight := *w.blind
	return Report{Blind: &sight}
}

// sighted ends a blindness, and says how long it was.
func (w *Watch) sighted() *Sight {
	now := w.Now()
	over := w.blind
	over.For = now.Mono - w.blindAt.Mono
	w.blind = nil
	w.tell = append(w.tell, store.Blindness{At: now.Wall, Reason: over.Reason, Over: true, Lasted: over.For})
	return over
}

// why is the reason to be blind that err gives, and what was seen.
func why(err error) (reason, detail string) {
	var blind *store.BlindError
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &blind):
		return blind.Reason, blind.Detail
	case errors.Is(err, store.ErrBusy):
		return store.BlindLocked, err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return store.BlindHung, err.Error()
	}
	return store.BlindCorrupt, err.Error()
}
