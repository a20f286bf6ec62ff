//go:build unix

package rundir

import (
	"errors"
	"os"
	"testing"
)

func wantExit(t *testing.T, d *Dir, epoch int64, want int) {
	t.Helper()
	got, err := d.ReadExitOf(epoch)
	if err != nil || got.Epoch != epoch || got.Code != want {
		t.Errorf("ReadExitOf(%d) = %+v, %v, want code %d", epoch, got, err, want)
	}
}

// Each epoch has one last word, and keeps it.
func TestExitRecordOfEachEpoch(t *testing.T) {
	d := newDir(t)
	if _, err := d.ReadExit(); !errors.Is(err, ErrAbsent) {
		t.Errorf("ReadExit of a new run = %v, want ErrAbsent", err)
	}
	must(t, d.Begin(1))
	must(t, d.WriteExit(Exit{Epoch: 1, Code: 11}))
	if err := d.WriteExit(Exit{Epoch: 1, Code: 0}); !errors.Is(err, ErrExists) {
		t.Errorf("a second last word = %v, want ErrExists", err)
	}
	if err := d.Begin(1); !errors.Is(err, ErrExists) {
		t.Errorf("Begin of an epoch that is over = %v, want ErrExists", err)
	}
	must(t, d.Begin(2))
	must(t, d.WriteExit(Exit{Epoch: 2, Code: 22}))
	if err := d.WriteExit(Exit{Epoch: 1, Code: 0}); !errors.Is(err, ErrExists) {
		t.Errorf("the last word of an earlier epoch = %v, want ErrExists", err)
	}
	// A writer that was killed after the record and before its second name
	// leaves that to the next epoch.
	must(t, os.Remove(d.File(exitOf(2))))
	must(t, d.Begin(3))
	must(t, d.WriteExit(Exit{Epoch: 3, Code: 33}))
	wantExit(t, d, 1, 11)
	wantExit(t, d, 2, 22)
	wantExit(t, d, 3, 33)
	if newest, err := d.ReadExit(); err != nil || newest.Code != 33 {
		t.Errorf("ReadExit = %+v, %v, want code 33", newest, err)
	}
	if _, err := d.ReadExitOf(4); !errors.Is(err, ErrAbsent) {
		t.Errorf("ReadExitOf(4) = %v, want ErrAbsent", err)
	}
	if err := d.WriteExit(Exit{Code: 1}); err == nil {
		t.Error("a record without an epoch was written")
	}
	if err := d.WriteExit(Exit{Epoch: 4, Code: 256}); err == nil {
		t.Error("a code beyond a byte was written")
	}
}

// What an epoch finds in the way, it clears.
func TestBegin(t *testing.T) {
	for what, put := range hostile {
		d := newDir(t)
		put(t, d.File(ExitFile))
		must(t, d.Ping(Nudge{Epoch: 1}))
		must(t, d.Wrapup(Nudge{Epoch: 1}))
		must(t, d.RequestStop(Stop{Epoch: 1}))
		write(t, d.File(".worker.exit123"), "half a rec")
		write(t, d.File(".mine"), "")
		if err := d.Begin(2); err != nil {
			t.Errorf("Begin where worker.exit is %s: %v", what, err)
			continue
		}
		for _, name := range []string{ExitFile, PingFile, WrapupFile, StopFile, ".worker.exit123"} {
			if _, err := os.Lstat(d.File(name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", name, err)
			}
		}
		for _, name := range []string{ExitFile + ".old", ".mine"} {
			if _, err := os.Lstat(d.File(name)); err != nil {
				t.Error(err)
			}
		}
		must(t, d.WriteExit(Exit{Epoch: 2, Signal: 9}))
		if e, err := d.ReadExit(); err != nil || e.Signal != 9 {
			t.Errorf("ReadExit = %+v, %v", e, err)
		}
	}
}
