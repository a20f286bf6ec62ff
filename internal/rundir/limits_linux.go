package rundir

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// limits are the most bytes of a name under path, or under the nearest parent
// that exists, and of a whole path with the zero after it.
func limits(path string) (name, whole int) {
	for {
		var s unix.Statfs_t
		if err := unix.Statfs(path, &s); err == nil && s.Namelen > 0 {
			return int(s.Namelen), unix.PathMax
		}
		parent := filepath.Dir(path)
		if parent == path {
			return 255, unix.PathMax
		}
		path = parent
	}
}
