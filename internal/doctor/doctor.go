// Package doctor finds out what is wrong with the set-up of this machine: the
// trail's file and what it lies on, the clock, who watches, the policy file and
// its sinks. It changes nothing and sends nothing; of each finding it says what
// to do.
package doctor

import (
	"context"
	"slices"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/store"
)

// Level says how bad a finding is.
type Level string

// The levels, the best first.
const (
	Fine Level = "ok"
	Note Level = "note" // works, and could be better
	Warn Level = "warn" // will hurt somebody some day
	Bad  Level = "bad"  // does not work
)

// Finding is what one check found.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Text  string `json:"text"`         // what was seen; names in it are untrusted
	Do    string `json:"do,omitempty"` // what to do about it
}

// Visit is what is examined. Fill in the exported fields before Examine.
type Visit struct {
	Path   string // of the trail
	Policy string // of the policy file, empty when none is named
	Now    func() time.Time
	// Patience is how long one thing that may hang is waited for; 0 is 2 s.
	Patience time.Duration

	findings []Finding
	file     *policyfile.File // nil: none is named, or it is wrong
}

// Examine makes all checks, each whatever came of the others.
func (v *Visit) Examine(ctx context.Context) []Finding {
	if v.Patience == 0 {
		v.Patience = 2 * time.Second
	}
	v.findings = nil
	v.policy()
	r, err := store.OpenReader(ctx, v.Path, store.WithBusyTimeout(v.Patience))
	v.trail(ctx, r, err)
	v.place(ctx)
	v.permissions()
	v.disk(ctx)
	v.clock(ctx, r)
	v.monitors(ctx, r)
	v.outbox(ctx, r)
	v.sinks(ctx)
	v.libraries(ctx)
	if r != nil {
		if err := r.Close(); err != nil {
			v.add("trail", Warn, "it does not close: "+err.Error(), "")
		}
	}
	return v.findings
}

// Worst is the worst level among findings.
func Worst(findings []Finding) Level {
	order := []Level{Fine, Note, Warn, Bad}
	worst := 0
	for _, f := range findings {
		worst = max(worst, slices.Index(order, f.Level))
	}
	return order[worst]
}

func (v *Visit) add(check string, level Level, text, do string) {
	v.findings = append(v.findings, Finding{check, level, text, do})
}

// within runs fn, which may hang in the kernel, and gives up on it: it reports
// whether fn returned in time.
func (v *Visit) within(ctx context.Context, fn func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	t := time.NewTimer(v.Patience)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}
