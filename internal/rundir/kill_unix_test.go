//go:build unix

package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/presence"
)

// TestMain lets the test binary be a writer that is killed.
func TestMain(m *testing.M) {
	if root := os.Getenv("RUNDIR_WRITE"); root != "" {
		fmt.Fprintln(os.Stderr, writeForEver(root))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver writes the records of one epoch after another, and a byte for
// each.
func writeForEver(root string) error {
	d, err := Open(root, "r1")
	if err != nil {
		return err
	}
	epoch := int64(1)
	if last, err := d.ReadExit(); err == nil {
		epoch = last.Epoch + 1
	}
	// A record of some length, so that half of one could be seen.
	var left []Leftover
	for i := range 20 {
		left = append(left, Leftover{PID: i + 1, Command: strings.Repeat("x", 60)})
	}
	for ; ; epoch++ {
		err := errors.Join(
			d.Begin(epoch),
			d.Reserve(),
			d.WriteCommand(Command{Argv: []string{"true"}, Env: []string{strings.Repeat("y", 5000)}}),
			d.WritePID(PID{Epoch: epoch, Identity: presence.Identity{PID: int(epoch)}}),
			d.Beat(time.Now()),
			d.Ping(Nudge{Epoch: epoch}),
			d.WriteExit(Exit{Epoch: epoch, Code: int(epoch % 256), Left: left}),
		)
		if err != nil {
			return err
		}
		fmt.Println()
	}
}

// TestKilledWriter: whenever a writer is killed, each file is whole or not
// there, the newest exit record is the last one that was reported or the one
// after it, and the next writer goes on.
func TestKilledWriter(t *testing.T) {
	d := newDir(t)
	exe, err := os.Executable()
	must(t, err)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := 120
	if testing.Short() {
		kills = 10
	}
	reported := int64(0)
	for range kills {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), "RUNDIR_WRITE="+filepath.Dir(d.Path()), "GORACE=atexit_sleep_ms=0")
		out, err := cmd.StdoutPipe()
		must(t, err)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range random.IntN(4) {
			if lines.Scan() {
				reported++
			}
		}
		<-time.After(time.Duration(random.IntN(3000)) * time.Microsecond)
		must(t, cmd.Process.Kill())
		for lines.Scan() {
			reported++
		}
		_ = cmd.Wait()

		last, err := d.ReadExit()
		switch {
		case errors.Is(err, ErrAbsent) && reported == 0:
		case err != nil:
			t.Fatalf("after a kill: %v", err)
		case last.Epoch != reported && last.Epoch != reported+1 || last.Code != int(last.Epoch%256) || len(last.Left)+last.LeftOut != 20:
			t.Fatalf("after a kill the last record is %+v, and %d were reported", last, reported)
		}
		reported = last.Epoch
		checkWhole(t, d)
	}
	if reported == 0 {
		t.Error("no writer lived long enough to write anything")
	}
	// Everything that was ever reported is still there under its epoch.
	must(t, d.Begin(reported+1))
	for epoch := int64(1); epoch <= reported; epoch++ {
		wantExit(t, d, epoch, int(epoch%256))
	}
	for _, e := range entriesOf(t, d) {
		if strings.HasPrefix(e, ".") {
			t.Errorf("%s was left behind and never removed", e)
		}
	}
}

func entriesOf(t *testing.T, d *Dir) []string {
	t.Helper()
	entries, err := os.ReadDir(d.Path())
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// checkWhole reads every file under a name that means something.
func checkWhole(t *testing.T, d *Dir) {
	t.Helper()
	for _, name := range entriesOf(t, d) {
		if strings.HasPrefix(name, ".") || name == reserveFile {
			continue
		}
		info, err := os.Lstat(d.File(name))
		must(t, err)
		if info.Size() == 0 {
			t.Fatalf("%s is empty", name)
		}
		if digits, ok := strings.CutPrefix(name, ExitFile+"."); ok {
			epoch, err := strconv.ParseInt(digits, 10, 64)
			must(t, err)
			if e, err := d.readExit(name); err != nil || e.Epoch != epoch {
				t.Fatalf("%s: %+v, %v", name, e, err)
			}
		}
	}
	for name, read := range map[string]func() error{
		PIDFile:     func() error { _, err := d.ReadPID(); return err },
		CommandFile: func() error { _, err := d.ReadCommand(); return err },
		PingFile:    func() error { _, err := d.ReadPing(); return err },
	} {
		if err := read(); err != nil && !errors.Is(err, ErrAbsent) {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
