// Package policy says what to think of a reading: thresholds by family, the
// verdict, and the edges of an episode that are worth a signal. It is pure: the
// same reading, policy and instant give the same verdict for ever.
package policy

import "time"

// Policy is the thresholds in force for a family.
type Policy struct {
	IdleWindow         time.Duration
	StallAfter         time.Duration
	EscalateAfter      time.Duration
	StartWithin        time.Duration
	ExitGrace          time.Duration
	MaxRuntime         time.Duration // 0: none
	WrapupFraction     float64
	CheckpointInterval time.Duration
	RetryLimit         int64
	LoopRows           int64
	HoldCap            time.Duration
	Mode               string // observe or enforce
	AutoRespawn        bool
	MaxRespawns        int64
	RespawnDelay       time.Duration
	VanishGrace        time.Duration
	KillGrace          time.Duration
	// From says where the thresholds came from: default, run, or the policy
	// file's table, e.g. "[family.nightly]".
	From string
}
