package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Stand is a signal that stands: a run that stalled and has not recovered, one
// that failed and was not dealt with, one that is beyond its time or was given
// up.
type Stand struct {
	Delivered
	Escalated bool
	Over      time.Time // when it was taken back; zero: it stands
}

// Stands gives the signals that stand, and those that were taken back after
// then, in the order in which they were told.
func (r *Reader) Stands(ctx context.Context, after time.Time) ([]Stand, error) {
	var all []Stand
	err := r.view(ctx, func(c *conn) error {
		all = nil
		var event, at, epoch, since, over, escalated num
		var run, family, kind, reason, data text
		cells := []cell{&event, &at, &run, &family, &epoch, &kind, &since, &reason, &data, &over, &escalated}
		return c.peek("standing", func(row []value) error {
			fill(cells, row)
			s := Stand{Escalated: escalated.n != 0, Over: over.stamp(), Delivered: Delivered{Event: event.n, At: at.stamp(), Run: run.s,
				Family: family.s, Epoch: epoch.n, Kind: kind.s, Since: since.n, Reason: reason.s, Stalled: at.stamp()}}
			if json.Valid([]byte(data.s)) {
				s.Data = json.RawMessage(data.s)
			}
			all = append(all, s)
			return nil
		}, arg{"after_ms", after.UnixMilli()})
	})
	if err != nil {
		return nil, fmt.Errorf("read the signals that stand: %w", err)
	}
	return all, nil
}
