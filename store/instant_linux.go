package store

import (
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// bootID names this boot; the kernel makes a new one at each start.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if id := strings.TrimSpace(string(b)); err == nil && id != "" {
		return id
	}
	return processBoot()
})

// monotonic is CLOCK_MONOTONIC, which stands still while the machine sleeps.
func monotonic() (time.Duration, string) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return processMonotonic(), processBoot()
	}
	return time.Duration(t.Nano()), bootID()
}
