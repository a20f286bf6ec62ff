package watch

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// visit is one directory to be looked at.
type visit struct {
	id    string
	epoch int64 // 0: whatever the directory says
	grace time.Duration
	// unless is the stamp of a directory that need not be read if that is still
	// its stamp.
	unless time.Time

	seen     bool
	stamp    time.Time
	evidence rundir.Evidence
}

// visit looks at directories. Of a root that is hung none is seen.
func (d *Roots) visit(ctx context.Context, clock cursor.Clock, once bool, visits []*visit) {
	of := map[*root][]*visit{}
	for _, v := range visits {
		if r := d.where[v.id]; r != nil && r.blind.Reason == "" {
			of[r] = append(of[r], v)
		}
	}
	if len(of) == 0 {
		return
	}
	d.aside(ctx, func(r *root) func() {
		mine := make([]visit, len(of[r])) // the job's own: it may outlive the look
		for i, v := range of[r] {
			mine[i] = *v
		}
		if len(mine) == 0 {
			return nil
		}
		of[r] = of[r][:0:0]
		for i := range mine {
			of[r] = append(of[r], &mine[i])
		}
		look := rundir.Look{Clock: clock, Once: once, Prober: d.Prober}
		return func() {
			for i := range mine {
				r.see(&mine[i], look)
			}
		}
	})
	for r, done := range of {
		if r.hung {
			r.blind = cursor.Blindness{Reason: store.BlindHung, Detail: "the file system does not answer"}
			d.arrange()
			continue
		}
		at := map[string]*visit{}
		for _, v := range done {
			at[v.id] = v
		}
		for _, v := range visits {
			if done := at[v.id]; done != nil {
				*v = *done
			}
		}
	}
}

// see looks at one directory.
func (r *root) see(v *visit, look rundir.Look) {
	v.seen = true
	if info, err := os.Lstat(filepath.Join(r.path, v.id)); err == nil {
		if v.stamp = info.ModTime(); !v.unless.IsZero() && v.stamp.Equal(v.unless) {
			return
		}
	}
	dir, err := rundir.OpenReader(r.path, v.id)
	if err != nil {
		v.evidence.Presence, v.evidence.Blind = cursor.Unknown, rundir.BlindnessOf(err)
		return
	}
	m := r.memories[v.id]
	if m == nil {
		m = &rundir.Memory{}
		r.memories[v.id] = m
	}
	look.Grace = v.grace
	v.evidence = dir.Evidence(v.epoch, look, m)
	if err := dir.Close(); err != nil {
		v.evidence.Notes = append(v.evidence.Notes, err.Error())
	}
}
