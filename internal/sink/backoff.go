package sink

import (
	"math/rand/v2"
	"time"
)

// Between attempts a message, and a sink that takes nothing, is left alone for
// so long, doubled each time, and a message is given up when it has waited for
// so long in all.
const (
	firstWait = 5 * time.Second
	maxWait   = time.Hour
	giveUp    = 72 * time.Hour
)

// backoff is how long to wait after so many attempts that failed, with a jitter
// of a fifth to either side, so that monitors that were cut off together do not
// come back together.
func backoff(attempts int64) time.Duration {
	wait := firstWait
	for ; attempts > 1 && wait < maxWait; attempts-- {
		wait *= 2
	}
	wait = min(wait, maxWait)
	return min(max(wait*4/5+rand.N(wait*2/5), firstWait), maxWait)
}
