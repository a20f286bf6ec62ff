package policy

import (
	"strconv"
	"time"
)

// Keys are the keys of a policy, in the order in which they are shown.
func Keys() []string {
	return []string{
		"idle_window", "stall_after", "escalate_after", "start_within", "exit_grace", "max_runtime",
		"wrapup_fraction", "checkpoint_interval", "retry_limit", "loop_rows", "hold_cap", "mode",
		"auto_respawn", "max_respawns", "respawn_delay", "vanish_grace", "kill_grace",
	}
}

// Field is where p keeps the value of key: a *time.Duration, *int64, *float64,
// *bool or *string. It is nil for a key that there is not.
func (p *Policy) Field(key string) any {
	switch key {
	case "idle_window":
		return &p.IdleWindow
	case "stall_after":
		return &p.StallAfter
	case "escalate_after":
		return &p.EscalateAfter
	case "start_within":
		return &p.StartWithin
	case "exit_grace":
		return &p.ExitGrace
	case "max_runtime":
		return &p.MaxRuntime
	case "wrapup_fraction":
		return &p.WrapupFraction
	case "checkpoint_interval":
		return &p.CheckpointInterval
	case "retry_limit":
		return &p.RetryLimit
	case "loop_rows":
		return &p.LoopRows
	case "hold_cap":
		return &p.HoldCap
	case "mode":
		return &p.Mode
	case "auto_respawn":
		return &p.AutoRespawn
	case "max_respawns":
		return &p.MaxRespawns
	case "respawn_delay":
		return &p.RespawnDelay
	case "vanish_grace":
		return &p.VanishGrace
	case "kill_grace":
		return &p.KillGrace
	}
	return nil
}

// Show is the value of key as a person writes it in a policy file, without
// quotes: 15m, 0.8, 5, false, observe. A max_runtime of 0 is none.
func (p *Policy) Show(key string) string {
	switch v := p.Field(key).(type) {
	case *time.Duration:
		if key == "max_runtime" && *v == 0 {
			return "none"
		}
		return FormatDuration(*v)
	case *int64:
		return strconv.FormatInt(*v, 10)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	case *bool:
		return strconv.FormatBool(*v)
	case *string:
		return *v
	}
	return ""
}
