package watch

import (
	"context"
	"slices"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Succession is what becomes of a run whose wrapper has vanished.
type Succession int

// What a Respawner may answer.
const (
	Ends    Succession = iota // nothing follows
	GoesOn                    // somebody is about to take it over
	GivesUp                   // it was continued as often as the policy allows
)

// Respawner starts the wrapper of a run again that has vanished. It must not
// hold up the look.
type Respawner interface {
	// Succeed is asked at each look of a run that has vanished, with its wrapper,
	// and whose directory is in the root.
	Succeed(ctx context.Context, root string, s *store.Sighting) Succession
}

// respawn has vanished runs continued. While one is about to be taken over
// nothing is said of its end: there is none.
func (w *Watch) respawn(ctx context.Context, found *store.Found) {
	clear(w.gaveUp)
	if w.Respawn == nil || w.record == nil {
		return
	}
	now := found.Clock.Now()
	for i := range found.Runs {
		s := &found.Runs[i]
		r, f := &s.Reading, w.Roots.Of(s.Reading.Run)
		if f == nil || f.Wrapper != cursor.Gone || r.Exit.Known || r.Cancelled ||
			w.Thresholds(r.Family, s.Thresholds).Judge(*r, now).Reason != policy.ReasonVanished {
			continue
		}
		switch w.Respawn.Succeed(ctx, f.Root, s) {
		case GoesOn:
			r.GoneSince = now
		case GivesUp:
			w.gaveUp[r.Run] = true
		}
	}
}

// giveUp is the signal of a run that is not continued any more, once an epoch.
func (w *Watch) giveUp(j *judgement) {
	v := &j.row.Verdict
	s := policy.Signal{Kind: policy.SignalGaveUp, Epoch: v.Reading.Epoch, Since: v.Since}
	if !w.gaveUp[v.Reading.Run] || v.State != policy.Failed ||
		slices.ContainsFunc(j.run.Told, func(t store.Signal) bool { return t.Kind == s.EventKind() && t.Epoch == s.Epoch }) {
		return
	}
	j.signals = append(j.signals, s)
	j.changed = true
}
