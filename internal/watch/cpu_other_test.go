//go:build !unix

package watch

import "time"

// cpu is not to be had here.
func cpu() time.Duration { return 0 }
