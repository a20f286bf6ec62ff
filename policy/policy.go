// Package policy says what to think of a reading: thresholds by family, the
// verdict, and the edges of an episode that are worth a signal. It is pure: the
// same reading, policy and instant give the same verdict for ever.
package policy

import "time"

// Policy is the thresholds in force for a family. The keys of the policy file
// and of a record are the fields' names in lower case: idle_window, stall_after.
type Policy struct {
	IdleWindow         time.Duration // silence before degraded and the ping
	StallAfter         time.Duration // silence before stalled or stuck
	EscalateAfter      time.Duration // silence no honest step outlasts
	StartWithin        time.Duration // grace before the first advance of an epoch
	ExitGrace          time.Duration // from the last step to the exit
	MaxRuntime         time.Duration // a ceiling on awake time since the start; 0: none
	WrapupFraction     float64       // of MaxRuntime, when the worker is told to wrap up
	CheckpointInterval time.Duration // how often a long step should mark
	RetryLimit         int64         // failed attempts that make a trail busy without moving
	LoopRows           int64         // rows, or looks at a growing log, that do
	HoldCap            time.Duration // all holds and budgets of a run together
	Mode               string        // Observe or Enforce
	AutoRespawn        bool
	MaxRespawns        int64
	RespawnDelay       time.Duration // doubled at each respawn
	VanishGrace        time.Duration // from process gone to vanished
	KillGrace          time.Duration // from TERM to KILL
	// From says where the thresholds came from: default, run, or the policy
	// file's table, e.g. "[family.nightly]".
	From string
}

// The modes.
const (
	Observe = "observe" // tell
	Enforce = "enforce" // tell, and let the wrapper terminate
)

// Where thresholds come from, beside the tables of a policy file.
const (
	FromDefault = "default" // built in
	FromRun     = "run"     // recorded with the run
)

// Default is the policy of a family that nobody wrote one for.
func Default() Policy {
	return Policy{
		IdleWindow:         5 * time.Minute,
		StallAfter:         15 * time.Minute,
		EscalateAfter:      time.Hour,
		StartWithin:        15 * time.Minute,
		ExitGrace:          5 * time.Minute,
		WrapupFraction:     0.8,
		CheckpointInterval: 2 * time.Minute,
		RetryLimit:         5,
		LoopRows:           3,
		HoldCap:            4 * time.Hour,
		Mode:               Observe,
		MaxRespawns:        2,
		RespawnDelay:       time.Second,
		VanishGrace:        3 * time.Second,
		KillGrace:          10 * time.Second,
		From:               FromDefault,
	}
}

// startGrace is how long an epoch may go without its first advance.
func (p *Policy) startGrace() time.Duration { return max(p.StartWithin, p.IdleWindow) }
