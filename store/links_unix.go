//go:build unix && !linux

package store

import (
	"io/fs"
	"syscall"
)

// names is how many names the file has: hard links.
func names(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Nlink)
	}
	return 1
}
