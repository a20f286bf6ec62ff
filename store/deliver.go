package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Delivery is a message that is to be sent to a sink, and is leased to whoever
// claimed it.
type Delivery struct {
	ID      int64
	Event   int64         // the row of the log that names the message on every attempt
	Attempt int64         // which one this is, from 1
	Spent   time.Duration // waited between the attempts before this one
	// Signals is what the message says: one signal, the one that it is named by
	// first; or those that were merged or grouped into it, at most MostTold.
	Signals []Delivered
	// Counts is how many signals of each kind there are, and of how many runs.
	Counts []Count
	// Failures is how often in a row the sink took nothing.
	Failures int64

	sink, by string
}

// MostTold is how many signals of one message are named.
const MostTold = 20

// Delivered is a signal as a message tells it.
type Delivered struct {
	Event   int64
	At      time.Time
	Run     string
	Family  string
	Epoch   int64
	Kind    string // stalled, …
	Since   int64
	Reason  string          // untrusted text
	Data    json.RawMessage // the evidence; nil when there is none
	Stalled time.Time       // when the episode was told as stalled; zero: it was not
}

// Count is how many signals of a kind a message tells of, and of how many runs.
type Count struct {
	Kind          string
	Signals, Runs int64
}

// Claim leases the next message for a sink to by, for so long at most: nobody
// else sends it meanwhile, and when by died somebody sends it after that. It
// returns nil when there is nothing to send now.
//
// A recovered that waits behind its stalled, which nobody can have heard of, is
// merged into it here.
func (s *Store) Claim(ctx context.Context, sink, by string, lease time.Duration) (*Delivery, error) {
	at := s.opt.now().Wall.UnixMilli()
	due := false
	err := s.view(ctx, func(c *conn) error {
		due = false
		return c.peek("delivery_due", func([]value) error { due = true; return nil }, arg{"sink", sink}, arg{"at_ms", at})
	})
	if err != nil || !due {
		return nil, wrapClaim(sink, err)
	}
	var d *Delivery
	err = s.write(ctx, func(t *tx) error {
		return t.atomic(func() error {
			d = nil
			return claim(t, &d, sink, by, at, lease)
		})
	})
	return d, wrapClaim(sink, err)
}

func wrapClaim(sink string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("claim a message for sink %q: %w", sink, err)
}

func claim(t *tx, claimed **Delivery, sink, by string, at int64, lease time.Duration) error {
	d := &Delivery{sink: sink, by: by}
	unsure := int64(0)
	found, err := t.one("delivery_due", func(row []value) {
		d.ID, d.Event, d.Attempt = whole(row[0]), whole(row[1]), whole(row[2])+1
		d.Spent = time.Duration(whole(row[3])) * time.Millisecond
		unsure = whole(row[4])
	}, arg{"sink", sink}, arg{"at_ms", at})
	if err != nil || !found {
		return err
	}
	id := arg{"id", d.ID}
	if unsure == 0 {
		// Who may have heard of the stalled must hear of the recovered under a
		// name of its own, or takes it for a repeat.
		if _, err := t.exec("merge_recovered", id, arg{"sink", sink}); err != nil {
			return err
		}
	}
	if _, err := t.exec("lease_delivery", id, arg{"by", by}, arg{"at_ms", at}, arg{"lease_ms", max(lease.Milliseconds(), 1)}, arg{"unsure", unsure}); err != nil {
		return err
	}
	if _, err := t.one("sink_failures", func(row []value) { d.Failures = whole(row[0]) }, arg{"sink", sink}); err != nil {
		return err
	}
	if err := d.read(t); err != nil {
		return err
	}
	*claimed = d
	return nil
}

// read reads what the message says.
func (d *Delivery) read(t *tx) error {
	var event, at, epoch, since, stalled num
	var run, family, kind, reason, data text
	cells := []cell{&event, &at, &run, &family, &epoch, &kind, &since, &reason, &data, &stalled}
	err := t.each("delivery_signals", func(row []value) error {
		fill(cells, row)
		s := Delivered{Event: event.n, At: at.stamp(), Run: run.s, Family: family.s, Epoch: epoch.n, Kind: kind.s, Since: since.n,
			Reason: reason.s, Stalled: stalled.stamp()}
		if json.Valid([]byte(data.s)) {
			s.Data = json.RawMessage(data.s)
		}
		d.Signals = append(d.Signals, s)
		return nil
	}, arg{"id", d.ID}, arg{"limit", int64(MostTold)})
	if err != nil {
		return err
	}
	return t.each("delivery_counts", func(row []value) error {
		kind.take(row[0])
		d.Counts = append(d.Counts, Count{kind.s, whole(row[1]), whole(row[2])})
		return nil
	}, arg{"id", d.ID})
}

// Outcome is how an attempt to deliver ended.
type Outcome struct {
	State  string        // DeliveryDelivered, DeliveryDead, or DeliveryWaiting for another attempt
	Wait   time.Duration // until then
	Unsure bool          // the sink may have taken it all the same
	// Pause is how long nothing else is tried at the sink.
	Pause  time.Duration
	Answer string // what the sink said, cut to 1024 bytes
}

// backAgain is after how many failures in a row one success says that the sink
// is back.
const backAgain = 3

// Settle records how an attempt ended. When the lease has run out and somebody
// else took the message over, that one's word counts.
func (s *Store) Settle(ctx context.Context, d *Delivery, o Outcome) error {
	at := arg{"at_ms", s.opt.now().Wall.UnixMilli()}
	sink := arg{"sink", d.sink}
	answer := KeptText(o.Answer)
	answer = strings.ToValidUTF8(answer[:min(len(answer), 1024)], "")
	err := s.write(ctx, func(t *tx) error {
		return t.atomic(func() error {
			n, err := t.exec("settle_delivery", arg{"id", d.ID}, arg{"by", d.by}, at, arg{"state", o.State},
				arg{"wait_ms", o.Wait.Milliseconds()}, arg{"unsure", flag(o.Unsure)}, arg{"answer", orNull(answer)})
			if err != nil || n == 0 {
				return err
			}
			failed := o.State == DeliveryWaiting
			if _, err := t.exec("settle_sink", sink, at, arg{"failed", flag(failed)}, arg{"pause_ms", o.Pause.Milliseconds()}); err != nil {
				return err
			}
			if o.State == DeliveryDelivered && d.Failures >= backAgain {
				_, err = t.exec("hurry_deliveries", sink)
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("record delivery %d to sink %q: %w", d.ID, d.sink, err)
	}
	return nil
}

// ForgetDeliveries drops from the outbox what was delivered before then, some of
// it at a time.
func (s *Store) ForgetDeliveries(ctx context.Context, before time.Time) error {
	err := s.write(ctx, func(t *tx) error {
		_, err := t.exec("forget_deliveries", arg{"before_ms", before.UnixMilli()})
		return err
	})
	if err != nil {
		return fmt.Errorf("forget old deliveries: %w", err)
	}
	return nil
}
