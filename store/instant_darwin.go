package store

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clockUptimeRaw is CLOCK_UPTIME_RAW: it stands still while the machine sleeps
// and is common to all processes of a boot.
const clockUptimeRaw = 8

// bootID names this boot.
var bootID = sync.OnceValue(func() string {
	if id, err := unix.Sysctl("kern.bootsessionuuid"); err == nil && id != "" {
		return id
	}
	return processBoot()
})

func monotonic() (time.Duration, string) {
	var t unix.Timespec
	if err := unix.ClockGettime(clockUptimeRaw, &t); err != nil {
		return processMonotonic(), processBoot()
	}
	return time.Duration(t.Nano()), bootID()
}
