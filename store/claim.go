package store

import (
	"context"
)

// Claimed is a step that was handed out to one worker, and is running.
type Claimed struct {
	Pos     int64
	Name    string // empty when the step has none
	Attempt int64  // counted from 1
	Ack     Ack
}

// Claim takes the lowest step that is pending or failed, or that a replaced
// worker left running, and flips it to running. No two callers get the same
// step. It returns ErrNoStep when there is none left, and ErrFenced.
func (r *Run) Claim(ctx context.Context) (Claimed, error) {
	c := new(Claimed)
	err := r.act(ctx, "claim a step of", nil, func(t *tx) error {
		*c = Claimed{}
		found, err := t.one("next_step", func(row []value) {
			c.Pos, c.Attempt = row[0].(int64), row[2].(int64)+1
			c.Name, _ = row[1].(string)
		}, arg{"run_id", r.id}, arg{"epoch", r.epoch})
		if err != nil {
			return err
		}
		if !found {
			if c.Pos, err = r.unlaid(t); err != nil {
				return err
			}
			c.Attempt = 1
		}
		return r.flipTx(t, Pos(c.Pos), flip{query: "begin_step", state: "running"}, &c.Ack)
	})
	if err != nil {
		return Claimed{}, err
	}
	return *c, nil
}

// unlaid is the number of the next step under a known total that has no row
// yet, or ErrNoStep.
func (r *Run) unlaid(t *tx) (int64, error) {
	b, err := r.bound(t)
	switch {
	case err != nil:
		return 0, err
	case b.epoch != r.epoch:
		return 0, ErrFenced
	case b.known && b.last < b.total:
		return b.last + 1, nil
	}
	return 0, &refusal{ErrNoStep, "no step is left to claim"}
}
