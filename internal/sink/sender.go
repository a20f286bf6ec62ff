package sink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
)

// Sender brings one message to one place. It returns what that place said, and
// nil when the message was taken; else an error, which may be a *Failure.
type Sender interface {
	Send(ctx context.Context, m Message) (answer string, err error)
	// Close lets go of what is kept open between messages.
	Close()
}

// Failure is an attempt that failed, with what is known beside.
type Failure struct {
	Err error
	// Unsure says that the message may have been taken all the same.
	Unsure bool
	// Gone says that no attempt will ever succeed.
	Gone bool
	// After is how long the place asked to be left alone; 0: it did not.
	After time.Duration
}

// Error is what happened.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap is the cause.
func (f *Failure) Unwrap() error { return f.Err }

// NewSender makes the sender of a sink of the policy file. version is the one of
// this program, and db the trail, for programs that are started.
func NewSender(s policyfile.Sink, version, db string) (Sender, error) {
	switch s.Type {
	case "jsonl":
		return &jsonl{path: s.Path}, nil
	case "exec":
		return &command{argv: s.Argv, db: db}, nil
	case "webhook":
		return newWebhook(s, version)
	case "alertmanager":
		return newAlertmanager(s, version)
	case "template":
		return newTemplate(s, version)
	}
	return nil, fmt.Errorf("a sink of type %q is not known", s.Type)
}

// Test sends a message that is marked as a test, once, and says what came back.
func Test(ctx context.Context, s policyfile.Sink, sender Sender, monitor string, at time.Time) (answer string, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Deadline)
	defer cancel()
	answer, err = sender.Send(ctx, testMessage(monitor, at))
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within the deadline of %v: %w", s.Deadline, err)
	}
	return answer, err
}
