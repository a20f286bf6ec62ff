//go:build !linux && !darwin

package store

import "time"

// monotonic is the time since this process began, in a boot of its own.
func monotonic() (time.Duration, string) { return processMonotonic(), processBoot() }
