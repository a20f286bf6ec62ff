package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/sink"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/store"
)

// office is who delivers the signals of a watch, nil where the policy file has
// no sinks.
func (e *env) office(t *thresholds, w *watch.Watch, path string) (*sink.Office, error) {
	if t.file == nil || len(t.file.Sinks) == 0 {
		return nil, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	o := &sink.Office{
		OpenOutbox: func(ctx context.Context) (sink.Outbox, error) {
			return whole(ctx, path, func() (*store.Store, error) {
				return store.Open(ctx, path, store.WithExisting(), store.WithSource("monitor"), store.WithBusyTimeout(2*time.Second))
			})
		},
		Monitor:     w.ID,
		Source:      path,
		BlindRepeat: t.monitor().BlindRepeat,
		Say: func(format string, args ...any) {
			e.complain(fmt.Errorf(format, args...))
		},
	}
	for _, s := range t.file.Sinks {
		sender, err := sink.NewSender(s, progmonVersion(), abs)
		if err != nil {
			return nil, withCode(exitPolicy, fmt.Errorf("[sink.%s]: %w", s.Name, err))
		}
		o.Places = append(o.Places, sink.Place{Sink: s, Sender: sender})
	}
	return o, nil
}

// delivering has the signals of a watch delivered while it runs, and says how to
// end that. Where there are no sinks nothing is done.
func (e *env) delivering(ctx context.Context, o *sink.Office, w *watch.Watch) (end func()) {
	if o == nil {
		return func() {}
	}
	// Before the first look, which may signal. A trail that is not there yet is
	// the look's to speak of.
	_ = o.Register(ctx)
	report := w.Report
	w.Report = func(r watch.Report) error {
		err := report(r)
		o.Heard(r)
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// drainTakes is how long a single look delivers at most.
const drainTakes = time.Minute

// deliveringOnce has what a single look signals, and what waited, delivered when
// end is called.
func (e *env) deliveringOnce(ctx context.Context, o *sink.Office, w *watch.Watch) (end func()) {
	if o == nil {
		return func() {}
	}
	_ = o.Register(ctx)
	report := w.Report
	w.Report = func(r watch.Report) error {
		err := report(r)
		o.Heard(r)
		return err
	}
	return func() {
		ctx, cancel := context.WithTimeout(ctx, drainTakes)
		defer cancel()
		o.Drain(ctx)
	}
}

// sinkNamed is the sink of the policy file with the name.
func (e *env) sinkNamed(name string) (policyfile.Sink, error) {
	t, err := e.thresholds()
	if err != nil {
		return policyfile.Sink{}, err
	}
	if t.file == nil {
		return policyfile.Sink{}, withHint(usagef("", "no policy file is named, and sinks are in it"), "name one with --policy FILE or PROGMON_POLICY")
	}
	var known string
	for _, s := range t.file.Sinks {
		if s.Name == name {
			return s, nil
		}
		known += " " + s.Name
	}
	if known == "" {
		known = " none"
	}
	return policyfile.Sink{}, usagef("", "%s has no [sink.%s]; it has:%s", t.file.Path, name, known)
}
