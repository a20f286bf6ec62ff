package store

import (
	"context"
	"fmt"
	"time"
)

// Step is a step of a run as its row stands.
type Step struct {
	Pos      int64
	Name     string // empty when it has none; untrusted text
	State    string // pending, running, done, failed, skipped or cancelled
	Attempts int64
	Failures int64
	Begun    time.Time     // the present attempt; zero: none
	Expect   time.Duration // the budget declared; 0: none
	Mark, Of int64         // the largest mark, out of Of; Of is 0 without marks
	Note     string        // untrusted text
}

// AtWork gives the steps of a run that are running and those that failed last
// time, at most limit of them, the running ones first. It reads the steps of
// one run, so it is for a command that shows one.
func (r *Reader) AtWork(ctx context.Context, run string, limit int) ([]Step, error) {
	return r.steps(ctx, run, "steps_at_work", arg{"run_id", run}, arg{"limit", int64(limit)})
}

// StepOf gives the step that an event is about; found is false when it is
// about none.
func (r *Reader) StepOf(ctx context.Context, event int64) (step Step, found bool, err error) {
	steps, err := r.steps(ctx, "", "last_finished", arg{"event", event})
	if len(steps) == 0 {
		return Step{}, false, err
	}
	return steps[0], true, err
}

func (r *Reader) steps(ctx context.Context, run, statement string, args ...arg) ([]Step, error) {
	var steps []Step
	err := r.view(ctx, func(c *conn) error {
		var pos, attempts, failures, begun, expect, mark, of, last num
		var name, state, note text
		cells := []cell{&pos, &name, &state, &attempts, &failures, &begun, &expect, &mark, &of, &last, &note}
		return c.peek(statement, func(row []value) error {
			fill(cells, row)
			steps = append(steps, Step{Pos: pos.n, Name: name.s, State: state.s, Attempts: attempts.n, Failures: failures.n,
				Begun: begun.stamp(), Expect: expect.length(), Mark: mark.n, Of: of.n, Note: note.s})
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("read the steps of run %q: %w", run, err)
	}
	return steps, nil
}
