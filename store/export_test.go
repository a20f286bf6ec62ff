package store

import (
	"io/fs"
	"time"
)

// WithNetworkFS says what file system a directory is on.
func WithNetworkFS(kind string) Option {
	return func(o *options) { o.fsType = func(string) string { return kind } }
}

// WithHang makes the file system answer only when until is closed.
func WithHang(until <-chan struct{}) Option {
	return func(o *options) {
		stat, find := o.stat, o.find
		o.stat = func(path string) (fs.FileInfo, error) { <-until; return stat(path) }
		o.find = func(path string) (fileID, error) { <-until; return find(path) }
	}
}

// Unanswered says how many paths are hung.
func Unanswered() int {
	unanswered.Lock()
	defer unanswered.Unlock()
	return len(unanswered.paths)
}

// HoldBusy is how long a write waits in line.
func (s *Store) HoldBusy(d time.Duration) { s.w.busy = d }
