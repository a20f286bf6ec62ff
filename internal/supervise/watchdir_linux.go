package supervise

import (
	"os"

	"golang.org/x/sys/unix"
)

// watchDir tells the loop when files are put into the run's directory, so that
// a request to stop is heard at once and nothing need be polled. The function
// it gives ends that. Without inotify requests are heard at each heartbeat.
func (w *Wrapper) watchDir() (stop func()) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return func() {}
	}
	f := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, w.Dir.Path(), unix.IN_MOVED_TO|unix.IN_CREATE); err != nil {
		f.Close()
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var events [4096]byte
		for {
			if _, err := f.Read(events[:]); err != nil {
				return
			}
			w.someoneAsks()
		}
	}()
	return func() {
		f.Close()
		<-done
	}
}
