package store

import "context"

// Together runs fn, and what fn writes through the Store that it is given
// shares one transaction: done in order, and durable when Together returns
// nil. It is for a caller that has many writes in hand, such as progmon step
// -, and would otherwise pay for a commit each.
//
// Inside, every write is accepted or refused on its own, as outside, and its
// Ack holds once Together returns nil. When Together returns an error nothing
// that fn wrote is in the trail, whatever the writes themselves returned. No
// other process writes while fn runs, so fn must do nothing slow, and must
// neither close the Store nor use it after it has returned.
func (s *Store) Together(ctx context.Context, fn func(*Store) error) error {
	return s.write(ctx, func(t *tx) error {
		return t.atomic(func() error {
			in := &joint{t: t}
			err := fn(&Store{Reader: s.Reader, w: s.w, in: in})
			return or(in.err, err)
		})
	})
}

// joint is a transaction that several writes share.
type joint struct {
	t   *tx
	err error // what lost the transaction
}

// do runs fn at once. What loses the transaction loses it for all of them.
func (in *joint) do(ctx context.Context, fn func(*tx) error) error {
	if in.err != nil {
		return in.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j := job{do: fn}
	in.err = in.t.run(&j)
	return j.err
}
