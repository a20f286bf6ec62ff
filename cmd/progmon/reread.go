package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
)

// rereadOnHangup has SIGHUP read the policy file of a monitor again, as those
// who run daemons expect. Where no file is named, or a person looks at the
// screen, a hangup ends the program as it ends any other. release lets the
// signal be what it was.
func (e *env) rereadOnHangup(ctx context.Context, w *watch.Watch, t *thresholds, l *listeners, say teller) (release func()) {
	if t.file == nil || e.stdout.isTerminal() {
		return func() {}
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	w.Hangup = hangup
	w.Reread = func() error { return e.reread(ctx, t, l, say) }
	return func() { signal.Stop(hangup) }
}

// reread takes thresholds, sinks and heartbeat from the policy file as it is now.
// One with a fault is none: what was in force stays.
func (e *env) reread(ctx context.Context, t *thresholds, l *listeners, say teller) error {
	f, err := policyfile.Load(t.file.Path)
	if err == nil {
		err = l.reread(ctx, f)
	}
	if err != nil {
		e.complain(err)
		_, _ = fmt.Fprintln(e.stderr, "progmon: hint: what was in force stays, thresholds and sinks; mend the file, and send the signal again")
		return nil
	}
	was := t.file
	t.file = f
	return say.reread(rereadSays(was, f))
}

// rereadSays is what there is to say of a policy file that was read again.
func rereadSays(was, f *policyfile.File) string {
	says := fmt.Sprintf("%s was read again, with %s", printable(f.Path), count(int64(len(f.Families())), "family", "families"))
	if f.For("").From == policy.FromDefault {
		says += " and the built-in default"
	}
	var sinks []string
	for _, s := range f.Sinks {
		sinks = append(sinks, s.Name)
	}
	switch {
	case len(sinks) > 0:
		says += "; it delivers to " + strings.Join(sinks, ", ")
	case len(was.Sinks) > 0:
		says += "; it delivers to nobody any more"
	}
	if f.Monitor.Interval != was.Monitor.Interval || f.Monitor.LateAfter != was.Monitor.LateAfter || f.Monitor.LateIntervals != was.Monitor.LateIntervals {
		says += "; interval and late_after of [monitor] hold from the next start"
	}
	return says
}
