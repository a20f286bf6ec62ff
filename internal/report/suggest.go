package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/progmon/progmon/policy"
)

// Few is how many runs are too few to trust what rests on them.
const Few = 5

// Suggested is a threshold, and why it is what it is.
type Suggested struct {
	Key, Value, Why string
}

// Suggest gives thresholds that leave room above what the evidence has seen:
// what was honest once is not accused. Keys on which the evidence says nothing
// are left as they are in base, and are not among the suggested.
func (e *Evidence) Suggest(base policy.Policy) (policy.Policy, []Suggested) {
	p := base
	var all []Suggested
	set := func(key string, to *time.Duration, d time.Duration, why string, args ...any) {
		*to = Round(d)
		all = append(all, Suggested{key, policy.FormatDuration(*to), fmt.Sprintf(why, args...)})
	}
	count := func(key string, to *int64, n int64, why string, args ...any) {
		*to = n
		all = append(all, Suggested{key, fmt.Sprint(n), fmt.Sprintf(why, args...)})
	}
	if len(e.Gaps) > 0 {
		most, longest := Quantile(e.Gaps, 0.99), Quantile(e.Gaps, 1)
		set("idle_window", &p.IdleWindow, max(2*most, 5*time.Second), "twice what 99 of 100 gaps stay under, %s", exact(most))
		set("stall_after", &p.StallAfter, max(2*longest, 2*p.IdleWindow), "twice the longest gap, %s, and twice idle_window at least", exact(longest))
		set("escalate_after", &p.EscalateAfter, max(4*longest, 2*p.StallAfter), "four times the longest gap, and twice stall_after at least")
		p.CheckpointInterval = p.IdleWindow * 2 / 5
		all = append(all, Suggested{"checkpoint_interval", policy.FormatDuration(p.CheckpointInterval), "two fifths of idle_window"})
	}
	if longest := Quantile(e.Starts, 1); longest > 0 {
		set("start_within", &p.StartWithin, max(2*longest, 10*time.Second), "twice the longest wait for a first advance, %s", exact(longest))
	}
	if longest := Quantile(e.Exits, 1); longest > 0 {
		set("exit_grace", &p.ExitGrace, max(2*longest, 10*time.Second), "twice the longest time from the last step to the exit, %s", exact(longest))
	}
	if e.Failed > 0 {
		count("retry_limit", &p.RetryLimit, max(base.RetryLimit, e.Failed+2), "at the most %d attempts failed before an advance", e.Failed)
	}
	if e.Rows > 0 {
		count("loop_rows", &p.LoopRows, max(base.LoopRows, e.Rows+2), "at the most %d came between two advances", e.Rows)
	}
	return p, all
}

func exact(d time.Duration) string { return policy.FormatDuration(d.Round(time.Millisecond)) }

// rounds are the lengths of time that people write.
var rounds = [...]time.Duration{1, 2, 5, 10, 15, 20, 30, 45}

// Round is the next length of time that people write which is not shorter than
// d: 1, 2, 5, 10, 15, 20, 30 or 45 seconds or minutes, hours from there on.
func Round(d time.Duration) time.Duration {
	for _, unit := range [...]time.Duration{time.Second, time.Minute} {
		if i := slices.IndexFunc(rounds[:], func(n time.Duration) bool { return n*unit >= d }); i >= 0 {
			return rounds[i] * unit
		}
	}
	return (d + time.Hour - 1) / time.Hour * time.Hour
}
