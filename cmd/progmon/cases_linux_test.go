package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
)

// Field case 1: after a crash the number of the worker is a stranger's. The run
// has vanished and goes on under a new number, and the stranger is nobody.
func TestARecycledNumberIsNobody(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	stranger := exec.Command("sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
	const wait = `echo up >up.$PROGMON_RUN.$PROGMON_EPOCH; exec sleep 600`
	y.start("run", "--id=r", "--total=10", "--respawn=3", "--quiet", "--", "sh", "-c", wait)
	y.start("run", "--id=plain", "--total=10", "--quiet", "--", "sh", "-c", wait)
	for _, run := range []string{"r", "plain"} {
		p := y.pid(run, 1)
		y.kill(p)
		d, err := rundir.Open(y.root, run)
		if err != nil {
			t.Fatal(err)
		}
		// They may have started in one tick.
		p.PID, p.Start = stranger.Process.Pid, p.Start-1000
		p.Wrapper.PID, p.Wrapper.Start = stranger.Process.Pid, p.Wrapper.Start-1000
		if err := d.WritePID(p); err != nil {
			t.Fatal(err)
		}
		d.Close()
	}
	y.watches(2)
	second := y.pid("r", 2)
	y.until("the failure of plain", func() bool { return y.kinds("plain") == "run.started failed" })
	y.looks()
	if got := y.kinds("r"); got != "run.started run.takeover respawned" {
		t.Errorf("the log says %q", got)
	}
	if second.PID == stranger.Process.Pid {
		t.Errorf("the stranger counts as the worker of epoch 2")
	}
	if out, _ := program(t, "--db", y.db, "--root", y.root, "stop", "plain"); !strings.Contains(out, "had ended") {
		t.Errorf("stop says %s", out)
	}
	if id, err := presence.Of(stranger.Process.Pid); err != nil || presence.Look(id) != cursor.Alive {
		t.Errorf("the stranger was hit: %v", err)
	}
}

// Field case 55: steps 1, 2, 4 and 5 are done when the worker dies. The next
// one is told to go on after 2, and is not told off for the others.
func TestAContinuationBeginsAtTheGap(t *testing.T) {
	y := newYard(t, `respawn_delay = "50ms"`)
	y.start("run", "--id=r", "--total=5", "--respawn=1", "--quiet", "--", "sh", "-c",
		`if [ $PROGMON_EPOCH = 1 ]; then
			for n in 1 2 4 5; do progmon step done $n; done; progmon step begin 3
			echo up >up.r.1; exec sleep 600
		fi
		echo "$PROGMON_POSITION $PROGMON_RESUME" >told; echo up >up.r.2
		for n in 3 4 5; do progmon step done $n || exit; done`)
	first := y.pid("r", 1)
	y.watches(2)
	y.kill(first)
	y.pid("r", 2)
	y.until("the end", func() bool { return strings.Contains(y.kinds("r"), "run.exited") })
	if got := y.read("told"); got != "2 1\n" {
		t.Errorf("it was told %q, want position 2, resume 1", got)
	}
	if out, _ := program(t, "--db", y.db, "--root", y.root, "status", "--all", "r", "--json"); !strings.Contains(out, `"state":"done"`) {
		t.Errorf("status says %s", out)
	}
}

// Field case 27: 50 MB without the end of a line, and the run is done; what is
// shown of it is bounded.
func TestAnEndlessLine(t *testing.T) {
	y := newYard(t)
	out, err := y.command("run", "--id=r", "--total=1", "--quiet", "--", "sh", "-c",
		`head -c 52428800 /dev/zero | tr '\0' x; progmon step done 1`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	shown, code := program(t, "--db", y.db, "--root", y.root, "log", "r")
	if code != 0 || len(shown) == 0 || len(shown) > 2<<20 {
		t.Errorf("log = %d, %d bytes", code, len(shown))
	}
	if out, _ := program(t, "--db", y.db, "--root", y.root, "status", "--all", "r", "--json"); !strings.Contains(out, `"state":"done"`) {
		t.Errorf("status says %s", out)
	}
}
