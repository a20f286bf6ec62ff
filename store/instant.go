package store

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// Now reads the three clocks of the present moment: the wall clock in UTC, the
// monotonic clock of this boot, which does not count suspend, and the name of
// the boot. On Linux the monotonic clock is common to all processes of a boot.
// Where no such clock is to be had (see instant_other.go) each process is a
// boot of its own, and silence is not counted on across processes.
func Now() cursor.Instant {
	mono, boot := monotonic()
	return cursor.Instant{Wall: time.Now().UTC(), Mono: mono, Boot: boot}
}
