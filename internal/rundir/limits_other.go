//go:build !linux

package rundir

// limits are the most bytes of a name and of a whole path with the zero after
// it: what macOS allows, which is less than Windows does.
func limits(string) (name, whole int) { return 255, 1024 }
