//go:build unix

package doctor

import "golang.org/x/sys/unix"

// writable reports whether this user may write to path.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }
