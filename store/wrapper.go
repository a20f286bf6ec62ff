package store

import (
	"context"
	"fmt"
)

// Aside is a row about a run that is neither work nor a signal: what a
// wrapper or a person did about it. It moves no cursor and delays no verdict.
type Aside struct {
	Kind   string // evidence, run.stop, run.adopted, review.accepted, review.rejected
	Who    string // at most 200 bytes
	Reason string // cut as KeptText does
	Data   []byte // JSON of at most 64 KiB, or nil
}

// Aside appends an aside in whichever epoch holds the run. It returns ErrNoRun
// or ErrRefused.
func (s *Store) Aside(ctx context.Context, run string, m Aside) (Ack, error) {
	r, got := s.Run(run, 0), new(Ack)
	err := s.write(ctx, func(t *tx) error {
		n, err := t.exec("aside", arg{"run_id", run}, arg{"kind", m.Kind}, arg{"who", orNull(m.Who)},
			arg{"reason", orNull(KeptText(m.Reason))}, arg{"data", textOrNull(m.Data)}, arg{"source", s.opt.source})
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoRun
		}
		return r.stand(t, got)
	})
	if err != nil {
		return Ack{}, fmt.Errorf("record %s of run %q: %w", m.Kind, run, err)
	}
	return *got, nil
}

// Signal records an edge that the wrapper of this epoch found or made. What is
// on record already stays as it is, and is no error: a monitor may have been
// quicker.
func (r *Run) Signal(ctx context.Context, sig Signal) error {
	return r.act(ctx, "signal "+sig.Kind+" of", nil, func(t *tx) error {
		event := int64(0)
		_, err := t.one("wrapper_signal", func(row []value) { event = whole(row[0]) }, arg{"run_id", r.id}, arg{"epoch", r.epoch}, arg{"kind", sig.Kind},
			arg{"since", sig.Since}, arg{"reason", orNull(sig.Reason)}, arg{"data", textOrNull(sig.Data)})
		if err == nil && event != 0 && isSignal(sig.Kind) {
			_, err = t.exec("queue_delivery", arg{"event", event})
		}
		return err
	})
}

// Respawns counts how often the run was continued since it last reached a new
// position.
func (r *Reader) Respawns(ctx context.Context, run string) (int64, error) {
	var count num
	err := r.view(ctx, func(c *conn) error {
		return c.peek("respawns", func(row []value) error { count.take(row[0]); return nil }, arg{"run_id", run})
	})
	if err != nil {
		return 0, fmt.Errorf("count the respawns of run %q: %w", run, err)
	}
	return count.n, nil
}

// Asked gives what a wrapper is asked in the log, oldest first: the signals of
// its run, its pings, and the requests to stop, with ids above since.
func (r *Reader) Asked(ctx context.Context, run string, since int64) ([]Event, error) {
	var events []Event
	err := r.view(ctx, func(c *conn) (err error) {
		events, err = c.events("asked", arg{"run_id", run}, arg{"since", since})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what is asked of run %q: %w", run, err)
	}
	return events, nil
}
