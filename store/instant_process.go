package store

import (
	"fmt"
	"os"
	"time"
)

// began is when this process first asked, with Go's monotonic reading.
var began = time.Now()

// processMonotonic is the awake time since this process began.
func processMonotonic() time.Duration { return time.Since(began) }

// processBoot names this process as if it were a boot.
func processBoot() string { return fmt.Sprintf("process-%d-%d", os.Getpid(), began.UnixMilli()) }
