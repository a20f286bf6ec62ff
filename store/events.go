package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Event is one row of the log. A pointer is nil where the row has no value. Its
// JSON is the same on every command: fields are only ever added.
type Event struct {
	ID       int64           `json:"id"`
	At       time.Time       `json:"at"` // as the writer's wall clock gave it, UTC
	Run      string          `json:"run,omitempty"`
	Epoch    int64           `json:"epoch,omitempty"`
	Kind     string          `json:"kind"`
	Step     *int64          `json:"step,omitempty"`
	Attempt  *int64          `json:"attempt,omitempty"`
	Advance  bool            `json:"advance,omitempty"`
	Position *int64          `json:"position,omitempty"`
	Total    *int64          `json:"total,omitempty"`
	Open     bool            `json:"open,omitempty"`
	Amount   *int64          `json:"amount,omitempty"`
	OutOf    *int64          `json:"out_of,omitempty"`
	For      time.Duration   `json:"-"`
	Code     *int64          `json:"code,omitempty"`
	Signal   *int64          `json:"signal,omitempty"`
	Since    *int64          `json:"since,omitempty"` // the episode a signal is about
	Source   string          `json:"source"`
	Reason   string          `json:"reason,omitempty"` // untrusted text
	Who      string          `json:"who,omitempty"`    // untrusted text
	Data     json.RawMessage `json:"data,omitempty"`
}

// MarshalJSON writes At to the millisecond, as at and as at_ms, and For as
// for_s, in seconds.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		ID   int64  `json:"id"`
		At   string `json:"at"`
		AtMS int64  `json:"at_ms"`
		plain
		For float64 `json:"for_s,omitempty"`
	}{e.ID, e.At.UTC().Format("2006-01-02T15:04:05.000Z07:00"), e.At.UnixMilli(), plain(e), e.For.Seconds()})
}

// EventFilter says which rows of the log are wanted. The zero filter wants the
// oldest ones of all.
type EventFilter struct {
	Since int64  // only rows with a larger id
	Run   string // only those of this run; "" for all
	Limit int    // how many at most; 0 means 1000
	// Newest asks for the newest rows after Since and not for the oldest; only
	// with a Run. They come in the order of their ids all the same.
	Newest bool
	// Signals asks for signals and pings only; only with a Run and Newest.
	Signals bool
}

// Events gives a page of the log in the order of the ids. The id of the last
// row is the Since of the next page; an empty page is the end, so far.
func (r *Reader) Events(ctx context.Context, filter EventFilter) ([]Event, error) {
	if filter.Limit <= 0 {
		filter.Limit = 1000
	}
	statement := "events"
	switch {
	case filter.Run == "":
	case filter.Signals:
		statement = "signals_of_run"
	case filter.Newest:
		statement = "last_events_of_run"
	default:
		statement = "events_of_run"
	}
	var events []Event
	err := r.view(ctx, func(c *conn) (err error) {
		events, err = c.events(statement, arg{"since", filter.Since}, arg{"limit", int64(filter.Limit)},
			arg{"run_id", filter.Run})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	if filter.Run != "" && (filter.Newest || filter.Signals) {
		slices.Reverse(events)
	}
	return events, nil
}

func (c *conn) events(statement string, args ...arg) ([]Event, error) {
	var events []Event
	var id, at, epoch, step, attempt, advance, position, total, open, amount, outOf, length, code, signal, since num
	var run, kind, source, reason, who, data text
	cells := []cell{&id, &at, &run, &epoch, &kind, &step, &attempt, &advance, &position, &total, &open,
		&amount, &outOf, &length, &code, &signal, &since, &source, &reason, &who, &data}
	err := c.peek(statement, func(row []value) error {
		fill(cells, row)
		e := Event{
			ID: id.n, At: at.stamp(), Run: run.s, Epoch: epoch.n, Kind: kind.s,
			Step: step.pointer(), Attempt: attempt.pointer(), Advance: advance.n == 1,
			Position: position.pointer(), Total: total.pointer(), Open: open.n == 1,
			Amount: amount.pointer(), OutOf: outOf.pointer(), For: length.length(),
			Code: code.pointer(), Signal: signal.pointer(), Since: since.pointer(),
			Source: source.s, Reason: reason.s, Who: who.s,
		}
		if data.set && json.Valid([]byte(data.s)) {
			e.Data = json.RawMessage(data.s)
		}
		events = append(events, e)
		return nil
	}, args...)
	return events, err
}

// pointer is the number of a cell, nil for NULL.
func (c num) pointer() *int64 {
	if !c.set {
		return nil
	}
	n := c.n
	return &n
}
