package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/sink"
	"github.com/progmon/progmon/internal/watch"
)

// listeners hear of every look of a watch, and do their work beside it: its
// sinks, the heartbeat, and the service manager. The first two are what the
// policy file says, and are other ones when it was read again.
type listeners struct {
	e    *env
	w    *watch.Watch
	path string

	office *sink.Office // nil: there are no sinks
	beat   *sink.Heartbeat
	system *sink.Systemd

	// start runs something beside the loop until end is called, or the loop ends.
	start              func(run func(context.Context)) (end func())
	endOffice, endBeat func()
	running            sync.WaitGroup
}

// listeners are those of a watch. Where none is named there is none.
func (e *env) listeners(ctx context.Context, t *thresholds, w *watch.Watch, path string) (*listeners, error) {
	l := &listeners{e: e, w: w, path: path, system: sink.NewSystemd(e.getenv)}
	var err error
	if l.office, l.beat, err = l.hire(t); err == nil && l.office != nil {
		// Before the first look, which may signal. A trail that is not there yet
		// is the look's to speak of.
		_ = l.office.Register(ctx)
	}
	return l, err
}

// hire makes those that the policy file names.
func (l *listeners) hire(t *thresholds) (*sink.Office, *sink.Heartbeat, error) {
	office, err := l.e.office(t, l.w, l.path)
	if err != nil {
		return nil, nil, err
	}
	var beat *sink.Heartbeat
	if address := t.monitor().HeartbeatURL; address != "" {
		beat = &sink.Heartbeat{URL: address, Version: progmonVersion(), Say: l.e.say}
	}
	return office, beat, nil
}

// say tells people of something that goes wrong beside the looks.
func (e *env) say(format string, args ...any) { e.complain(fmt.Errorf(format, args...)) }

// attend has them hear of the looks.
func (l *listeners) attend() {
	report := l.w.Report
	l.w.Report = func(r watch.Report) error {
		err := report(r)
		if l.office != nil {
			l.office.Heard(r)
		}
		if l.beat != nil {
			l.beat.Heard(r)
		}
		l.system.Heard(r)
		return err
	}
}

// beside runs them beside the loop, and says how to end them.
func (l *listeners) beside(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	l.start = func(run func(context.Context)) func() {
		ctx, end := context.WithCancel(ctx)
		l.running.Go(func() { run(ctx) })
		return end
	}
	l.endOffice, l.endBeat = func() {}, func() {}
	if l.office != nil {
		l.endOffice = l.start(l.office.Run)
	}
	if l.beat != nil {
		l.endBeat = l.start(l.beat.Run)
	}
	return func() {
		l.system.Stopping()
		cancel()
		l.running.Wait()
	}
}

// reread puts those in their place that the policy file names by now, with their
// secrets and templates as they are now. It is called between two looks. On an
// error nothing has changed.
func (l *listeners) reread(ctx context.Context, f *policyfile.File) error {
	office, beat, err := l.hire(&thresholds{file: f})
	if err != nil {
		return err
	}
	l.endOffice()
	l.endOffice = func() {}
	switch {
	case office != nil:
		if l.office != nil {
			office.TakeOver(l.office)
		}
		_ = office.Register(ctx) // else its couriers do
		l.endOffice = l.start(office.Run)
	case l.office != nil:
		// So that nothing is kept for sinks that are none any more.
		none := &sink.Office{OpenOutbox: l.office.OpenOutbox, Monitor: l.office.Monitor}
		_ = none.Register(ctx) // else the next start does it
		none.Drain(ctx)
	}
	l.office = office
	if was := l.beat; was == nil || beat == nil || was.URL != beat.URL {
		l.endBeat()
		l.endBeat = func() {}
		if l.beat = beat; beat != nil {
			l.endBeat = l.start(beat.Run)
		}
	}
	return nil
}

// drainTakes is how long a single look delivers at most.
const drainTakes = time.Minute

// after has them do what a single look left them to do.
func (l *listeners) after(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, drainTakes)
	defer cancel()
	if l.office != nil {
		l.running.Go(func() { l.office.Drain(ctx) })
	}
	if l.beat != nil {
		l.running.Go(func() { l.beat.Flush(ctx) })
	}
	l.running.Wait()
}
