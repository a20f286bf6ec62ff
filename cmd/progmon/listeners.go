package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/progmon/progmon/internal/sink"
	"github.com/progmon/progmon/internal/watch"
)

// listener hears of every look of a watch, and does its work beside it.
type listener struct {
	heard func(watch.Report)
	run   func(context.Context) // until the context ends; nil: it has nothing to do
	once  func(context.Context) // after a single look; nil likewise
	end   func()                // when the watch ended; nil likewise
}

// listeners are those of a watch: its sinks, the heartbeat, and the service
// manager. Where none is named there is none.
func (e *env) listeners(ctx context.Context, t *thresholds, w *watch.Watch, path string) (all []listener, err error) {
	o, err := e.office(t, w, path)
	if err != nil {
		return nil, err
	}
	if o != nil {
		// Before the first look, which may signal. A trail that is not there yet
		// is the look's to speak of.
		_ = o.Register(ctx)
		all = append(all, listener{heard: o.Heard, run: o.Run, once: o.Drain})
	}
	if address := t.monitor().HeartbeatURL; address != "" {
		h := &sink.Heartbeat{URL: address, Version: progmonVersion(), Say: e.say}
		all = append(all, listener{heard: h.Heard, run: h.Run, once: h.Flush})
	}
	if s := sink.NewSystemd(e.getenv); s != nil {
		all = append(all, listener{heard: s.Heard, end: s.Stopping})
	}
	return all, nil
}

// say tells people of something that goes wrong beside the looks.
func (e *env) say(format string, args ...any) { e.complain(fmt.Errorf(format, args...)) }

// attend has listeners hear of the looks of a watch.
func attend(all []listener, w *watch.Watch) {
	if len(all) == 0 {
		return
	}
	report := w.Report
	w.Report = func(r watch.Report) error {
		err := report(r)
		for _, l := range all {
			l.heard(r)
		}
		return err
	}
}

// beside runs listeners beside a watch, and says how to end them.
func beside(ctx context.Context, all []listener) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, l := range all {
		if l.run != nil {
			running.Go(func() { l.run(ctx) })
		}
	}
	return func() {
		for _, l := range all {
			if l.end != nil {
				l.end()
			}
		}
		cancel()
		running.Wait()
	}
}

// drainTakes is how long a single look delivers at most.
const drainTakes = time.Minute

// after has listeners do what a single look left them to do.
func after(ctx context.Context, all []listener) {
	ctx, cancel := context.WithTimeout(ctx, drainTakes)
	defer cancel()
	var running sync.WaitGroup
	for _, l := range all {
		if l.once != nil {
			running.Go(func() { l.once(ctx) })
		}
	}
	running.Wait()
}
