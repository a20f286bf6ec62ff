package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// refusedWindow is how long one row stands for all like it.
const refusedWindow = time.Minute

// leaveRefused leaves a row that can be counted when a write was fenced. It
// must not become a way to flood the log: within a minute one row stands for
// all refusals of one epoch at one step, and at most 32 are left for a run.
// It is best effort: that it fails changes nothing for the caller.
func (r *Run) leaveRefused(ctx context.Context, err error, doing string, about fmt.Stringer) {
	if !errors.Is(err, ErrFenced) {
		return
	}
	step, what := value(nil), doing
	if ref, ok := about.(StepRef); ok {
		what = doing + " " + ref.String()
		if ref.Pos > 0 {
			step = ref.Pos
		}
	}
	after := r.s.opt.now().Wall.Add(-refusedWindow).UnixMilli()
	_ = r.s.write(ctx, func(t *tx) error {
		_, err := t.exec("leave_refused", arg{"run_id", r.id}, arg{"epoch", r.epoch}, arg{"step", step},
			arg{"reason", what}, arg{"after_ms", after}, arg{"source", r.s.opt.source})
		return err
	})
}
