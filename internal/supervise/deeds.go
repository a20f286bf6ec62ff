package supervise

import (
	"context"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// look judges what the clerk saw, and acts.
func (k *worker) look(l look) {
	w := k.w
	if l.err != nil {
		k.ladder.blind()
		w.teller.once("sight", "the trail cannot be read: %v", l.err)
		return
	}
	w.teller.again("sight")
	r := l.sighting.Reading
	if r.Epoch != k.epoch {
		if r.Epoch > k.epoch && !k.fenced {
			k.fenced = true
			w.teller.say("epoch %d has taken the run over: what the command of epoch %d writes is refused", r.Epoch, k.epoch)
		}
		return
	}
	if r.Cancelled {
		w.teller.once("cancelled", "the run was cancelled: the command is ended")
		k.end("user", w.Policy.KillGrace)
		return
	}
	if l.stop != nil && l.stop.Epoch == k.epoch {
		k.end("user", w.Policy.KillGrace)
		return
	}
	r.Presence = presence.Look(k.child.id)
	if r.Presence == cursor.Gone {
		return // the loop will see
	}
	k.ladder.told(&r, l.log)
	k.verdict, k.sight = w.Policy.Judge(r, l.clock.Now()), true
	doom := false
	for _, d := range k.ladder.look(k.verdict, l.log, l.monitored, l.mono) {
		switch d {
		case ping:
			k.ping(l)
		case wrapup:
			k.nudge(w.Dir.Wrapup, "max_runtime")
			k.signalRow(l.monitored, policy.SignalWrapUp)
		case capture:
			k.signalRow(l.monitored, policy.SignalStalled)
			k.capture()
		case terminate:
			doom = true
		}
	}
	if !doom || k.asked != "" {
		k.doomed = false // it moved while evidence was kept
		return
	}
	if !k.doomed {
		k.doomed = true
		k.signalRow(false, policy.SignalStalled)
		k.signalRow(false, policy.SignalEscalated)
		w.teller.say("%s for %s: the command will be ended", k.verdict.Says(), k.verdict.Silence.Round(time.Millisecond))
		k.capture()
	}
}

// ping nudges the worker once an episode.
func (k *worker) ping(l look) {
	k.nudge(k.w.Dir.Ping, k.verdict.Says())
	if k.w.PingSignal != 0 {
		k.signal(k.w.PingSignal)
	}
	k.signalRow(l.monitored, policy.Pinged)
}

func (k *worker) nudge(write func(rundir.Nudge) error, reason string) {
	err := write(rundir.Nudge{Epoch: k.epoch, Since: k.verdict.Since, Reason: reason, AtMS: time.Now().UnixMilli()})
	if err != nil {
		k.w.teller.say("the worker cannot be told: %v", err)
	}
}

// signalRow puts an edge on record, unless a monitor is there to do it.
func (k *worker) signalRow(monitored bool, kind string) {
	if monitored {
		return
	}
	s := policy.Signal{Kind: kind, Epoch: k.epoch, Since: k.verdict.Since}
	sig := store.Signal{Kind: s.EventKind(), Epoch: s.Epoch, Since: s.Since, Reason: k.verdict.Reason, Data: watch.Evidence(&k.verdict)}
	run := k.w.Declared.Run
	k.w.ask("record "+sig.Kind, func(ctx context.Context, s *store.Store) error {
		return s.Run(run, sig.Epoch).Signal(ctx, sig)
	})
}
