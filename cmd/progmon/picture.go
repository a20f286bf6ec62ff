package main

import (
	"context"
	"errors"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// picture is the trail as a looking command finds it, with what to think of it.
type picture struct {
	at      time.Time // wall clock
	source  string    // the database
	clock   cursor.Clock
	rows    []watch.Row
	watched store.Watched
	blind   *store.BlindError // the trail cannot be read: there is nothing else
	noTrail bool              // there is none, and need be none: directories were named
}

// picture looks at the named runs, or at all of them, and judges them. A trail
// that cannot be read is an answer.
func (e *env) picture(ctx context.Context, runs []string) (*picture, error) {
	t, err := e.thresholds()
	if err != nil {
		return nil, err
	}
	path, err := e.db()
	if err != nil {
		return nil, err
	}
	p := &picture{at: e.now().UTC(), source: path}
	roots := e.lookRoots(runs)
	r, err := e.readTrail(ctx)
	if err == nil {
		err = p.look(ctx, r, roots, t, runs)
		if closed := r.Close(); err == nil {
			err = closed
		}
	}
	if errors.As(err, &p.blind) {
		if p.blind.Reason == store.BlindMissing && e.trailIsOptional() {
			return p, p.withoutTrail(ctx, roots, t, runs)
		}
		return p, nil
	}
	return p, err
}

func (p *picture) look(ctx context.Context, r *store.Reader, roots *watch.Roots, t *thresholds, runs []string) error {
	roots.List(ctx, store.Now().Wall)
	found, err := r.Look(ctx, store.Ask{All: runs == nil, Runs: runs})
	if err != nil {
		return err
	}
	monitors, err := r.Monitors(ctx)
	if err != nil {
		return err
	}
	p.watched = store.WatchedAt(monitors, found.Clock.Instant())
	return p.judge(ctx, roots, watch.Inspection{Trail: r, Thresholds: t.of, Once: true, Only: runs}, &found)
}

// worst is the state that needs a person most; empty when there is no run.
func (p *picture) worst() policy.State {
	if p.blind != nil {
		return policy.Blind
	}
	if len(p.rows) == 0 {
		return ""
	}
	return p.rows[0].Verdict.State
}

// exit is the exit code of the picture. Blind is 3 whoever asks; the rest is
// told only to who asked for a check.
func (p *picture) exit(check bool) error {
	code := severity(p.worst())
	switch {
	case code == exitBlind:
	case !check:
		code = exitFine
	case len(p.rows) == 0 || !p.noTrail && p.watched.State != store.MonitorLive:
		code = exitBlind // nothing is being watched
	}
	if code == exitFine {
		return nil
	}
	return exitStatus(code)
}
