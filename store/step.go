package store

import (
	"context"
	"fmt"
	"time"
)

// flip is one change of a step row, as a statement and its parameters.
type flip struct {
	query  string
	state  string // what a row that is not there yet is met in
	expect value
	amount value
	of     value
	note   value
}

// Begin flips a step to running: one more attempt at it. expect, when
// positive, declares a budget: the step is not silent before it is over.
// Beginning again inside a budget does not renew it. It returns ErrFenced,
// ErrNoRun, ErrNoStep, or ErrRefused for a step that is terminal.
func (r *Run) Begin(ctx context.Context, ref StepRef, expect time.Duration) (Ack, error) {
	f := flip{query: "begin_step", state: "running"}
	if expect > 0 {
		f.expect = max(expect.Milliseconds(), 1)
	}
	return r.flip(ctx, "begin", ref, f)
}

// Complete flips a step to done. When it returns nil the step survives kill -9
// and power loss. A step that is done already leaves a row that is no advance,
// and that is no error. It returns ErrFenced if a newer epoch holds the run:
// this worker has been replaced and must stop.
func (r *Run) Complete(ctx context.Context, ref StepRef) (Ack, error) {
	return r.CompleteNoted(ctx, ref, "")
}

// CompleteNoted is Complete with a remark of at most 4096 bytes.
func (r *Run) CompleteNoted(ctx context.Context, ref StepRef, note string) (Ack, error) {
	f := flip{query: "complete_step", state: "done"}
	if note != "" {
		f.query, f.note = "complete_step_noted", note
	}
	return r.flip(ctx, "complete", ref, f)
}

// Fail flips a step to failed: the attempt is over and the step may be begun
// or claimed again. note says why, in at most 4096 bytes.
func (r *Run) Fail(ctx context.Context, ref StepRef, note string) (Ack, error) {
	return r.flip(ctx, "fail", ref, flip{query: "fail_step", state: "failed", note: orNull(note)})
}

// Skip flips steps to skipped, all of them or none: they will not be done and
// count as terminal.
func (r *Run) Skip(ctx context.Context, refs ...StepRef) (Ack, error) {
	return r.end(ctx, "skip", "skipped", refs)
}

// CancelStep flips steps to cancelled, all of them or none.
func (r *Run) CancelStep(ctx context.Context, refs ...StepRef) (Ack, error) {
	return r.end(ctx, "cancel", "cancelled", refs)
}

// Mark records a partial amount inside a step, out of a fixed of that the
// first mark sets. Only a new maximum is an advance. A step that is not
// running is begun by it.
func (r *Run) Mark(ctx context.Context, ref StepRef, amount, of int64) (Ack, error) {
	return r.flip(ctx, "mark", ref, flip{query: "mark_step", state: "running", amount: amount, of: of})
}

// end flips several steps to one terminal state.
func (r *Run) end(ctx context.Context, doing, state string, refs []StepRef) (Ack, error) {
	if len(refs) == 1 {
		return r.flip(ctx, doing, refs[0], flip{query: "end_step", state: state})
	}
	if len(refs) == 0 {
		return Ack{}, fmt.Errorf("%s steps of run %q: %w: none is named", doing, r.id, ErrNoStep)
	}
	got := new(Ack)
	err := r.act(ctx, doing, refs[0], func(t *tx) error {
		return t.atomic(func() error {
			for _, ref := range refs {
				if err := r.flipTx(t, ref, flip{query: "end_step", state: state}, got); err != nil {
					return fmt.Errorf("%s: %w", ref, err)
				}
			}
			return nil
		})
	})
	if err != nil {
		return Ack{}, err
	}
	return *got, nil
}

// flip does one change of one step.
func (r *Run) flip(ctx context.Context, doing string, ref StepRef, f flip) (Ack, error) {
	// A caller whose context ended must not look at what may still be written.
	got := new(Ack)
	var plain *completion
	if f.query == "complete_step" && ref.Pos > 0 && ref.Name == "" {
		plain = &completion{run: r, pos: ref.Pos, ack: got}
	}
	err := r.said(ctx, doing, ref, r.s.share(ctx, func(t *tx) error { return r.flipTx(t, ref, f, got) }, plain))
	if err != nil {
		return Ack{}, err
	}
	return *got, nil
}

// flipTx is flip in a transaction. The common case is one conditional UPDATE;
// that no row answers it says that the row is not there, is terminal, or is
// not in the state that the statement asks for.
func (r *Run) flipTx(t *tx, ref StepRef, f flip, ack *Ack) error {
	pos, appended, err := r.locate(t, ref)
	if err != nil {
		return err
	}
	args := [...]arg{{"run_id", r.id}, {"epoch", r.epoch}, {"pos", pos}, {"name", orNull(ref.Name)}, {"note", f.note},
		{"state", f.state}, {"expect_ms", f.expect}, {"amount", f.amount}, {"of", f.of}}
	if ref.Name != "" && ref.Pos != 0 {
		return t.atomic(func() error {
			if _, err := t.exec("name_step", args[:]...); err != nil {
				return err
			}
			return r.flipRow(t, f, args[:], ack)
		})
	}
	if appended {
		if _, err := t.exec("meet_step", args[:]...); err != nil {
			return err
		}
		return r.stand(t, ack)
	}
	return r.flipRow(t, f, args[:], ack)
}

// flipRow is flipTx for a step whose number is known.
func (r *Run) flipRow(t *tx, f flip, args []arg, ack *Ack) error {
	n, err := t.exec(f.query, args...)
	if err == nil && n == 0 {
		err = r.meet(t, f, args)
	}
	if err != nil {
		return err
	}
	return r.stand(t, ack)
}

// meet is the rare case of a flip, in which the UPDATE met no row.
func (r *Run) meet(t *tx, f flip, args []arg) error {
	state := ""
	found, err := t.one("step_state", func(row []value) { state = row[0].(string) }, args...)
	switch {
	case err != nil:
		return err
	case !found:
		_, err = t.exec("meet_step", args...)
		return err
	case f.query == "mark_step":
		return t.atomic(func() error {
			if _, err := t.exec("begin_step", args...); err != nil {
				return err
			}
			_, err := t.exec("mark_step", args...)
			return err
		})
	case f.state == "done" && state == "done":
		_, err = t.exec("repeat_done", args...)
		return err
	}
	return &refusal{ErrRefused, "a terminal step never changes again: it is " + state}
}

// locate is the number of a step. A name that a run with a closed total does
// not have is ErrNoStep; in another run it is the next new step.
func (r *Run) locate(t *tx, ref StepRef) (pos int64, appended bool, err error) {
	if ref.Pos != 0 || ref.Name == "" {
		return ref.Pos, false, nil
	}
	found, err := t.one("step_named", func(row []value) { pos = row[0].(int64) },
		arg{"run_id", r.id}, arg{"name", ref.Name})
	if err != nil || found {
		return pos, false, err
	}
	b, err := r.bound(t)
	switch {
	case err != nil:
		return 0, false, err
	case b.epoch != r.epoch:
		return 0, false, ErrFenced
	case b.known && !b.open:
		return 0, false, &refusal{ErrNoStep, fmt.Sprintf(
			"no step is named %q and the total is closed: number the step, or name the steps at the start", ref.Name)}
	}
	return b.last + 1, true, nil
}

// bound is what limits the steps of a run.
type bound struct {
	total    int64
	known    bool
	open     bool
	epoch    int64
	frontier int64
	last     int64 // the largest number of a row
}

func (r *Run) bound(t *tx) (b bound, err error) {
	found, err := t.one("bound", func(row []value) {
		b.total, b.known = row[0].(int64)
		b.open = row[1].(int64) == 1
		b.epoch, b.frontier, b.last = row[2].(int64), row[3].(int64), row[4].(int64)
	}, arg{"run_id", r.id})
	if err == nil && !found {
		err = ErrNoRun
	}
	return b, err
}
