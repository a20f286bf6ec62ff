package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/store"
)

// lookRoots are the run directories that a looking command sees: those of the
// roots that were named, and in the default root those of runs with rows. Who
// asks for some runs has no other looked for.
func (e *env) lookRoots(runs []string) *watch.Roots {
	d := &watch.Roots{Named: e.roots()}
	if runs != nil {
		d.Read = func(root string) []rundir.Entry { return listed(root, runs) }
	}
	if len(d.Named) > 0 {
		return d
	}
	dir, err := e.stateDir()
	if err != nil {
		return nil // who names no database either is told so
	}
	d.Default = filepath.Join(dir, "runs")
	return d
}

// listed are those of the runs that have a directory in the root.
func listed(root string, runs []string) []rundir.Entry {
	var entries []rundir.Entry
	for _, run := range runs {
		if rundir.ValidID(run) != nil {
			continue
		}
		if info, err := os.Lstat(filepath.Join(root, run)); err == nil && info.IsDir() {
			entries = append(entries, rundir.Entry{Root: root, Run: run})
		}
	}
	return entries
}

// trailIsOptional says that nobody named a trail, but directories were: one
// that is not there is no blindness then.
func (e *env) trailIsOptional() bool { return e.dbIsDefault() && len(e.roots()) > 0 }

// withoutTrail is the picture of the directories alone.
func (p *picture) withoutTrail(ctx context.Context, roots *watch.Roots, t *thresholds, runs []string) error {
	now := store.Now()
	p.blind, p.noTrail = nil, true
	p.watched = store.Watched{State: store.MonitorNever}
	found := store.Found{Clock: cursor.NewClock(cursor.ClockState{}, now, 0)}
	for _, run := range runs {
		found.Runs = append(found.Runs, store.Sighting{Reading: cursor.Reading{Run: run, Blind: cursor.Blindness{
			Reason: store.BlindNoTrail, Detail: "there is no such run"}}})
	}
	roots.List(ctx, now.Wall)
	return p.judge(ctx, roots, watch.Inspection{Thresholds: t.of, Once: true, Only: runs}, &found)
}

// judge has the directories looked at, and judges what was found.
func (p *picture) judge(ctx context.Context, roots *watch.Roots, in watch.Inspection, found *store.Found) error {
	if err := roots.Inspect(ctx, in, found); err != nil {
		return err
	}
	now := found.Clock.Now()
	p.clock, p.at = found.Clock, found.Clock.Instant().Wall
	p.rows = make([]watch.Row, 0, len(found.Runs))
	for i := range found.Runs {
		s := &found.Runs[i]
		p.rows = append(p.rows, watch.Row{Verdict: in.Thresholds(s.Reading.Family, s.Thresholds).Judge(s.Reading, now),
			Started: s.Started, Advanced: s.Advanced, LastRow: s.LastRow, Files: roots.Of(s.Reading.Run)})
	}
	p.rows = slices.Concat(p.rows, roots.Plain(found.Clock, in.Thresholds("", nil)))
	watch.SortWorst(p.rows)
	return nil
}
