package store

import (
	"context"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Run is a worker's hold on a run: the run's id and the epoch that the worker
// was given. Every write through it names that epoch, and is refused with
// ErrFenced once another epoch holds the run. A Run is safe for use by many
// goroutines.
type Run struct {
	s     *Store
	id    string
	epoch int64
}

// Run is the handle of a run that was started elsewhere. It does no I/O: a run
// that is not there shows at the first write, as ErrNoRun.
func (s *Store) Run(id string, epoch int64) *Run { return &Run{s: s, id: id, epoch: epoch} }

// ID is the id of the run.
func (r *Run) ID() string { return r.id }

// Epoch is the fencing token that every write names.
func (r *Run) Epoch() int64 { return r.epoch }

// Ack says that a write is durable: it survives kill -9 and power loss.
type Ack struct {
	Event    int64 // the row of the log that it left
	Position int64 // where the run stands after it
}

// StepRef names a step by its number, by its name, or by its number together
// with a name that it is given if it has none. See Pos and Named.
type StepRef struct {
	Pos  int64
	Name string
}

// Pos names a step by its number, counted from 1.
func Pos(pos int64) StepRef { return StepRef{Pos: pos} }

// Named names a step by its name: 1 to 200 bytes.
func Named(name string) StepRef { return StepRef{Name: name} }

// String is the step as an error names it.
func (ref StepRef) String() string {
	if ref.Pos == 0 {
		return fmt.Sprintf("step %q", ref.Name)
	}
	return fmt.Sprintf("step %d", ref.Pos)
}

// act runs fn in a write transaction and frames its error: doing is the verb,
// about its subject, what of the run. A fenced write leaves a row.
func (r *Run) act(ctx context.Context, doing string, about fmt.Stringer, fn func(*tx) error) error {
	return r.said(ctx, doing, about, r.s.write(ctx, fn))
}

// said frames the error of a write.
func (r *Run) said(ctx context.Context, doing string, about fmt.Stringer, err error) error {
	if err == nil {
		return nil
	}
	r.leaveRefused(ctx, err, doing, about)
	if about == nil {
		return fmt.Errorf("%s run %q: %w", doing, r.id, err)
	}
	return fmt.Errorf("%s %s of run %q: %w", doing, about, r.id, err)
}

// stand reads the run's newest event and its position, inside the transaction
// that wrote it.
func (r *Run) stand(t *tx, ack *Ack) error {
	found, err := t.one("stand", func(row []value) {
		ack.Event, ack.Position = row[0].(int64), row[1].(int64)
	}, arg{"run_id", r.id})
	if err == nil && !found {
		err = ErrNoRun
	}
	return err
}

// record appends an event that is no step and stands behind it.
func (r *Run) record(ctx context.Context, doing, name string, args ...arg) (Ack, error) {
	got := new(Ack) // not a result: whose context ended must not look at it
	args = append(args, arg{"run_id", r.id}, arg{"epoch", r.epoch}, arg{"source", r.s.opt.source})
	err := r.act(ctx, doing, nil, func(t *tx) error {
		if _, err := t.exec(name, args...); err != nil {
			return err
		}
		return r.stand(t, got)
	})
	if err != nil {
		return Ack{}, err
	}
	return *got, nil
}

// Hold declares a wait of at most limit: silence is not charged while it
// lasts, up to the hold_cap of the run's policy. A new hold takes the place of
// the one before. It returns ErrFenced, ErrNoRun or ErrRefused.
func (r *Run) Hold(ctx context.Context, limit time.Duration, why string) (Ack, error) {
	return r.record(ctx, "hold", "hold", arg{"for_ms", limit.Milliseconds()}, arg{"reason", orNull(why)})
}

// Resume ends the hold that is in force, if there is one.
func (r *Run) Resume(ctx context.Context) (Ack, error) {
	return r.record(ctx, "resume", "resume")
}

// Finish records how the run ended, once an epoch: by an exit code, a signal,
// or the reason "spawn" or "malformed". It returns ErrRefused when the epoch
// has ended already.
func (r *Run) Finish(ctx context.Context, exit cursor.Exit) (Ack, error) {
	code, signal, reason := value(int64(exit.Code)), value(nil), value(nil)
	switch {
	case exit.Reason != "":
		code, reason = nil, exit.Reason
	case exit.Signal != 0:
		code, signal = nil, int64(exit.Signal)
	}
	return r.record(ctx, "finish", "finish", arg{"code", code}, arg{"signal", signal},
		arg{"reason", reason}, arg{"who", orNull(exit.AskedBy)})
}

// Observe records an absolute reading of a cursor that is kept elsewhere: a
// Kafka offset, a row count. Only a new maximum is an advance. total is nil
// when it was not observed.
func (r *Run) Observe(ctx context.Context, position int64, total *int64) (Ack, error) {
	t := value(nil)
	if total != nil {
		t = *total
	}
	return r.record(ctx, "observe", "observe", arg{"position", position}, arg{"total", t})
}

// Note leaves a remark in the log. It is activity, never an advance, and it
// delays no verdict. text is at most 4096 bytes.
func (r *Run) Note(ctx context.Context, text string) (Ack, error) {
	return r.record(ctx, "note", "note", arg{"reason", orNull(text)})
}

// orNull is s, or NULL when it is empty.
func orNull(s string) value {
	if s == "" {
		return nil
	}
	return s
}
