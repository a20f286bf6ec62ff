package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// The rules that a Finding names.
const (
	RuleFile     = "file"      // SQLite finds the file itself malformed
	RuleSchema   = "schema"    // a table, trigger, index or view is not the migration's
	RuleCheck    = "check"     // a named CHECK does not hold for a row
	RuleKey      = "key"       // a row names one that is not there
	RuleIDs      = "ids"       // event ids are not dense, or the log's end is cut
	RuleEvent    = "event"     // a row of the log that the rules refuse
	RuleAdvance  = "advance"   // a row says wrongly that it is an advance, or where the run stood
	RuleSignal   = "signal"    // a signal was said twice in its episode
	RuleCursor   = "cursor"    // the cursor is not what the log gives
	RuleRun      = "run"       // a run is not what its log says it was declared with
	RuleStep     = "step"      // a step row is not what the log gives
	RuleSeal     = "seal"      // rows are not the ones that were sealed
	RuleClock    = "clock"     // the awake clock, or a landmark on it, cannot be
	RuleVerdict  = "verdict"   // what monitors remember of a run cannot be
	RuleMonitor  = "monitor"   // what a monitor says of itself cannot be
	RuleOutbox   = "outbox"    // a delivery that no signal of the log is behind
	RuleDigest   = "digest"    // the file is not the one that the digest beside it is of
	maxFindings  = 1000        // that are kept with their particulars
	perRule      = 200         // of them by one rule
	ctxEveryRows = 1 << 12     // rows between two looks at the context
	logStarts    = int64(1)    // the id of the first event
	none         = int64(-1)   // no number at all
	sealGenesis  = "progmon 1" // what the first seal stands on
)

// Finding is one thing in a trail that is not as its rules say. Zero fields
// say nothing.
type Finding struct {
	Rule       string `json:"rule"` // one of the Rule… constants
	Run        string `json:"run,omitempty"`
	FirstEvent int64  `json:"first_event,omitempty"` // the rows of the log that it concerns
	LastEvent  int64  `json:"last_event,omitempty"`
	Step       int64  `json:"step,omitempty"`
	Detail     string `json:"detail"` // one sentence; names in it are untrusted text
}

// String is the finding on one line.
func (f Finding) String() string {
	s := f.Rule
	if f.Run != "" {
		s += fmt.Sprintf(" of run %q", f.Run)
	}
	if f.Step != 0 {
		s += fmt.Sprintf(" step %d", f.Step)
	}
	switch {
	case f.FirstEvent == 0:
	case f.FirstEvent == f.LastEvent:
		s += fmt.Sprintf(" event %d", f.FirstEvent)
	default:
		s += fmt.Sprintf(" events %d to %d", f.FirstEvent, f.LastEvent)
	}
	return s + ": " + f.Detail
}

// Verification is what Verify read and found.
type Verification struct {
	Events int64 `json:"events"` // rows read
	Runs   int64 `json:"runs"`
	Steps  int64 `json:"steps"`
	Seals  int64 `json:"seals"`
	Sealed int64 `json:"sealed"` // the last event under a seal
	// Found is how many findings there are, and ByRule how many of each rule;
	// Findings holds at most 1000 of them, and 200 of one rule.
	Found    int64            `json:"found"`
	ByRule   map[string]int64 `json:"by_rule"`
	Findings []Finding        `json:"findings"`
}

// Clean reports whether nothing was found.
func (v *Verification) Clean() bool { return v.Found == 0 }

func (v *Verification) add(f Finding) {
	v.Found++
	v.ByRule[f.Rule]++
	if v.ByRule[f.Rule] <= perRule && len(v.Findings) < maxFindings {
		v.Findings = append(v.Findings, f)
	}
}

// Verify works the whole trail out again from its log and compares: every
// cursor and step row, every CHECK, the density of the ids, the rules of the
// events, the uniqueness of the signals, the seals, the schema itself, and the
// soundness of the file. It reads one snapshot, changes nothing, and takes
// memory for the runs and the steps in hand, not for the log. What it finds is
// in the Verification; the error says that it could not look.
func (r *Reader) Verify(ctx context.Context) (*Verification, error) {
	s, err := r.sight(ctx)
	if err != nil {
		return nil, err
	}
	c, err := connect(r.path, readSource(r.path, r.opt))
	if err != nil {
		return nil, fmt.Errorf("verify the trail: %w", locked(err))
	}
	err = sameFile(r.opt.find, r.path, s.file)
	check := &verifier{ctx: ctx, c: c, runs: map[string]*runFold{}, v: &Verification{ByRule: map[string]int64{}, Findings: []Finding{}}}
	if err == nil {
		err = check.all()
	}
	if err = or(err, c.close()); err != nil {
		return nil, fmt.Errorf("verify the trail: %w", locked(translate(err)))
	}
	return check.v, nil
}

// verifier is one verification in progress.
type verifier struct {
	ctx  context.Context
	c    *conn
	v    *Verification
	rows int
	runs map[string]*runFold
}

// all does every check in one snapshot. A file so broken that a check cannot
// read it is a finding, and the other checks go on.
func (k *verifier) all() error {
	if err := k.c.plain("BEGIN"); err != nil {
		return err
	}
	for _, check := range []func() error{
		k.file, k.schema, k.checks, k.keys, k.declared, k.log, k.sequence, k.cursors, k.steps, k.differing, k.rest,
	} {
		err := check()
		if blind, ok := asBlind(err); ok && blind.Reason == BlindCorrupt {
			k.v.add(Finding{Rule: RuleFile, Detail: blind.Detail})
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return k.c.plain("COMMIT")
}

// scan hands each row of a query of its own text to fn, until ctx ends.
func (k *verifier) scan(text string, fn func(row []value) error, args ...arg) error {
	s, err := k.c.prepare(text)
	if err != nil {
		return err
	}
	err = s.each(func(row []value) error {
		if k.rows++; k.rows%ctxEveryRows == 0 {
			if err := k.ctx.Err(); err != nil {
				return err
			}
		}
		return fn(row)
	}, args)
	return or(err, translate(s.prepared.Close()))
}

// read is scan of queries/NAME.sql.
func (k *verifier) read(name string, fn func(row []value) error, args ...arg) error {
	return k.scan(query(name), fn, args...)
}

// differing names what differs between runs' step rows and the log, for the
// runs whose sums did not agree.
func (k *verifier) differing() error {
	for _, id := range slices.Sorted(maps.Keys(k.runs)) {
		f := k.runs[id]
		if f.sum == f.rowSum {
			continue
		}
		if err := k.compareSteps(id); err != nil {
			return err
		}
	}
	return nil
}
