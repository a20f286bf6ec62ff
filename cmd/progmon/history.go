package main

import (
	"fmt"
	"iter"

	"github.com/progmon/progmon/internal/replay"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// history plays what is on record.
func (p *playback) history(run string) error {
	if run != "" {
		if err := checkRun(run); err != nil {
			return err
		}
	}
	r, err := p.readTrail(p.ctx)
	if err != nil {
		return err
	}
	err = p.historyOf(r, run)
	if closed := r.Close(); err == nil {
		err = closed
	}
	return err
}

func (p *playback) historyOf(r *store.Reader, run string) error {
	h, err := p.read(r, run)
	if err != nil {
		return err
	}
	p.absolute = true
	if err := p.play(h.lines(), h.policy); err != nil {
		return err
	}
	return h.failed()
}

// history is the log of a trail as lines, which may be read more than once.
type history struct {
	lines  func() iter.Seq[replay.Line]
	failed func() error // why the last reading ended early
	policy func(run, family string) policy.Policy
}

// read prepares the history of a run, or of all for "".
func (p *playback) read(r *store.Reader, run string) (*history, error) {
	clock, err := r.Clock(p.ctx, 0)
	if err != nil {
		return nil, err
	}
	var named []string
	if run != "" {
		named = []string{run}
	}
	readings, err := r.Readings(p.ctx, clock, named)
	if err != nil {
		return nil, err
	}
	declared := map[string]replay.Declared{}
	recorded := map[string][]byte{}
	for _, each := range readings {
		if each.Blind.Reason == store.BlindNoTrail {
			return nil, target{run: run}.explain(fmt.Errorf("replay of run %q: %w", run, store.ErrNoRun))
		}
		declared[each.Run] = replay.Declared{Family: each.Family, Process: each.Process}
		if recorded[each.Run], err = r.RecordedPolicy(p.ctx, each.Run); err != nil {
			return nil, err
		}
	}
	h := &history{failed: func() error { return nil }}
	h.lines = func() iter.Seq[replay.Line] {
		lines, failed := replay.History(p.ctx, r, run, declared, p.now())
		h.failed = failed
		return lines
	}
	h.policy = func(run, family string) policy.Policy { return p.thresholds.of(family, recorded[run]) }
	return h, nil
}
