package supervise

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// watchAfter is how long a run goes on before its directory is watched. The
// kernel takes some ten milliseconds to let go of a watch, also at the end of
// the process, and that is longer than all else the wrapper of a short command
// does. What is asked earlier is heard when the watch begins.
const watchAfter = 200 * time.Millisecond

// watchDir tells the loop when files are put into the run's directory, so that
// a request to stop is heard at once and nothing need be polled. The function
// it gives ends that. Without inotify requests are heard at each heartbeat.
func (w *Wrapper) watchDir() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		later := time.NewTimer(watchAfter)
		defer later.Stop()
		select {
		case <-quit:
			return
		case <-later.C:
		}
		f, err := inotify(w.Dir.Path())
		if err != nil {
			return
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.relay(f)
		}()
		w.someoneAsks()
		<-quit
		f.Close()
		<-ended
	}()
	return func() {
		close(quit)
		<-done
	}
}

// inotify gives the events of a directory that files are put into.
func inotify(dir string) (*os.File, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	f := os.NewFile(uintptr(fd), "inotify")
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MOVED_TO|unix.IN_CREATE); err != nil {
		f.Close()
		return nil, os.NewSyscallError("inotify_add_watch", err)
	}
	return f, nil
}

// relay makes a question of each event, until f is closed.
func (w *Wrapper) relay(f *os.File) {
	var events [4096]byte
	for {
		if _, err := f.Read(events[:]); err != nil {
			return
		}
		w.someoneAsks()
	}
}
