package store

import (
	"context"
	"fmt"
)

// Takeover raises the epoch of a run by one and gives the handle of the new
// epoch: whoever writes in the old one is fenced from then on. from is the
// epoch that the caller believes to hold the run; another one is ErrFenced.
// With from 0 whichever holds it is replaced. A cancelled run is not
// continued (ErrRefused); a run that is not there is ErrNoRun.
func (s *Store) Takeover(ctx context.Context, run string, from int64) (*Run, error) {
	r := s.Run(run, 0)
	err := s.write(ctx, func(t *tx) error {
		n, err := t.exec("take_over", arg{"run_id", run}, arg{"from_epoch", from})
		if err != nil {
			return err
		}
		found, err := t.one("epoch", func(row []value) { r.epoch = row[0].(int64) }, arg{"run_id", run})
		switch {
		case err != nil:
			return err
		case !found:
			return ErrNoRun
		case n == 0:
			return &refusal{ErrFenced, fmt.Sprintf("fenced: epoch %d holds this run, not %d", r.epoch, from)}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("take over run %q: %w", run, err)
	}
	return r, nil
}

// Cancel ends a run because a person says so. It is not fenced: it holds for
// whichever epoch there is. who is at most 200 bytes, why at most 4096.
func (s *Store) Cancel(ctx context.Context, run, who, why string) (Ack, error) {
	r, got := s.Run(run, 0), new(Ack)
	err := s.write(ctx, func(t *tx) error {
		n, err := t.exec("cancel", arg{"run_id", run}, arg{"who", orNull(who)}, arg{"reason", orNull(why)})
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrNoRun
		}
		return r.stand(t, got)
	})
	if err != nil {
		return Ack{}, fmt.Errorf("cancel run %q: %w", run, err)
	}
	return *got, nil
}
