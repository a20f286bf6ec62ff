package policy

import (
	"errors"
	"fmt"
	"time"
)

// Contradiction is a threshold that cannot be, or two that cannot be together.
type Contradiction struct {
	Keys []string // the keys it is about
	Says string   // what is wrong, with the values
}

func (c *Contradiction) Error() string { return c.Says }

// Validate says in what way p contradicts itself: nil, or every finding joined
// by errors.Join, each a *Contradiction.
func (p Policy) Validate() error {
	var all []error
	wrong := func(says string, keys ...string) {
		all = append(all, &Contradiction{Keys: keys, Says: says})
	}
	for _, key := range Keys() {
		switch v := p.Field(key).(type) {
		case *time.Duration:
			if *v < 0 {
				wrong(fmt.Sprintf("%s is negative: %s", key, FormatDuration(*v)), key)
			} else if *v == 0 && mustBePositive(key) {
				wrong(key+" is zero: it must be longer", key)
			}
		case *int64:
			if *v < 0 {
				wrong(fmt.Sprintf("%s is negative: %d", key, *v), key)
			} else if *v == 0 && mustBePositive(key) {
				wrong(key+" is 0: it must be at least 1", key)
			}
		}
	}
	if f := p.WrapupFraction; !(f > 0 && f <= 1) {
		wrong(fmt.Sprintf("wrapup_fraction is %g: it must be above 0 and at most 1", f), "wrapup_fraction")
	}
	if p.Mode != Observe && p.Mode != Enforce {
		wrong(fmt.Sprintf("mode is %q: it must be observe or enforce", p.Mode), "mode")
	}
	for _, pair := range [...][2]string{
		{"idle_window", "stall_after"}, {"stall_after", "escalate_after"}, {"checkpoint_interval", "idle_window"},
	} {
		under, over := *p.Field(pair[0]).(*time.Duration), *p.Field(pair[1]).(*time.Duration)
		if under >= over && under > 0 && over > 0 {
			wrong(fmt.Sprintf("%s (%s) must be shorter than %s (%s)", pair[0], FormatDuration(under), pair[1], FormatDuration(over)),
				pair[0], pair[1])
		}
	}
	return errors.Join(all...)
}

// mustBePositive says that a zero of key would make every run degraded,
// stalled, or busy.
func mustBePositive(key string) bool {
	switch key {
	case "idle_window", "stall_after", "escalate_after", "checkpoint_interval", "retry_limit", "loop_rows":
		return true
	}
	return false
}
