package doctor

import "golang.org/x/sys/unix"

// room is how many bytes are free for this user where path is, how many files
// there can be and how many more; 0 where nobody counts them.
func room(path string) (free, files, freeFiles uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Files, s.Ffree, nil
}

// unsynchronised reports whether the kernel was told of no time source.
func unsynchronised() bool {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return err == nil && state == unix.TIME_ERROR
}
