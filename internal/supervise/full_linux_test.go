package supervise

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// tinyDisk puts the runs of a plan on a disk of their own. It gives false where
// this user may not mount one.
func tinyDisk(t *testing.T, p *plan) bool {
	t.Helper()
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Logf("this machine does not let this user mount: %v", err)
		return false
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	p.Root = disk
	return true
}

// fill leaves no byte free.
func fill(t *testing.T, disk string) {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 1<<10))
	}
	if !errors.Is(err, unix.ENOSPC) {
		t.Fatal(err)
	}
}

// On a full disk no command is started whose number could not be kept.
func TestAFullDiskStartsNothing(t *testing.T) {
	p := newPlan(t, "sh", "-c", "echo ran >&2; touch "+filepath.Join(t.TempDir(), "ran"))
	if !tinyDisk(t, &p) {
		return
	}
	fill(t, p.Root)
	w := wrap(t, p)
	if code := w.wait(); code == 0 {
		t.Error("exit 0")
	}
	if _, err := os.Stat(strings.Fields(p.Argv[2])[4]); err == nil {
		t.Error("the command ran")
	}
}

// On a disk that fills up while the command runs, its last word still lands.
func TestTheLastWordLandsOnAFullDisk(t *testing.T) {
	p := newPlan(t, "sh", "-c", "until test -s filler && test -e "+filepath.Join(t.TempDir(), "go")+"; do sleep 0.01; done; exit 3")
	if !tinyDisk(t, &p) {
		return
	}
	w := wrap(t, p)
	w.pid(1)
	w.eventually("the heartbeat", func() bool { return !w.dir().Heartbeat().IsZero() })
	fill(t, p.Root)
	if err := os.WriteFile(strings.TrimSuffix(strings.Fields(p.Argv[2])[7], ";"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.wait(); code != 3 {
		t.Errorf("exit %d: %s", code, &w.stderr)
	}
	if e := w.exit(); e.Code != 3 || e.Epoch != 1 {
		t.Errorf("worker.exit = %+v", e)
	}
	if x := w.reading().Exit; !x.Known || x.Code != 3 {
		t.Errorf("the row says %+v", x)
	}
}
