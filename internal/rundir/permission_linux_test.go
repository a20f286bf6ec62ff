package rundir

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/cursor"
)

// asNobody runs f with the files' permissions of another user.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	me := os.Geteuid()
	_, err := unix.SetfsuidRetUid(65534)
	must(t, err)
	defer func() {
		_, err := unix.SetfsuidRetUid(me)
		must(t, err)
	}()
	f()
}

// Files that may not be read prove nothing: the run is not seen, which is not
// to say that nothing is there.
func TestUnreadableIsBlind(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Alive
	look := func(claim, want string) {
		t.Helper()
		if os.Geteuid() == 0 {
			asNobody(t, func() { s.want(claim, want) })
		} else {
			s.want(claim, want)
		}
	}
	must(t, os.Chmod(s.d.Path(), 0o755))
	must(t, os.Chmod(s.d.File(PIDFile), 0))
	look("worker.pid may not be read", "blind: permission")
	must(t, os.Chmod(s.d.File(PIDFile), 0o644))
	must(t, s.d.WriteExit(Exit{Epoch: 1}))
	must(t, os.Chmod(s.d.File(ExitFile), 0))
	look("worker.exit may not be read", "blind: permission")
	must(t, os.Chmod(s.d.File(ExitFile), 0o644))
	look("worker.exit may be read", "done")
	must(t, os.Chmod(s.d.Path(), 0))
	look("nothing may be read", "blind: permission")
	must(t, os.Chmod(s.d.Path(), 0o700))
}
