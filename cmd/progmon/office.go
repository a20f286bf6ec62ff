package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/sink"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
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
		Say:         e.say,
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
	return policyfile.Sink{}, usagef("", "%s has no [sink.%s]; it has:%s", t.file.Path, policy.Quote(name, 80), known)
}
