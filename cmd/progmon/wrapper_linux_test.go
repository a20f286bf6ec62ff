package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/rundir"
)

// wraps runs a command under the wrapper to its end, and gives the wrapper's
// exit code and the record.
func (y *yard) wraps(run string, argv ...string) (code int, exit rundir.Exit, said string) {
	y.t.Helper()
	var out bytes.Buffer
	cmd := y.command(append([]string{"run", "--id=" + run, "--quiet", "--"}, argv...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		y.t.Errorf("%q: %v", argv, err)
		return
	}
	d, err := rundir.OpenReader(y.root, run)
	if err == nil {
		exit, err = d.ReadExit()
		d.Close()
	}
	if err != nil {
		y.t.Errorf("%q: %v, %s", argv, err, &out)
	}
	return cmd.ProcessState.ExitCode(), exit, out.String()
}

// Every exit code, and every signal that ends a process, is recorded and
// returned as it was, from the command to the exit status of progmon run.
func TestEveryEndIsRecordedAndReturned(t *testing.T) {
	y := newYard(t)
	y.program = shipped(t)
	if out, err := y.command("start", "first").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	type end struct{ code, signal int }
	var ends []end
	for code := range 256 {
		ends = append(ends, end{code: code})
	}
	for sig := 1; sig < 65; sig++ {
		switch syscall.Signal(sig) {
		case syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
			syscall.SIGURG, syscall.SIGWINCH, 32, 33: // they end nothing, or belong to the C library
			continue
		}
		ends = append(ends, end{signal: sig})
	}
	next := make(chan end)
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for e := range next {
				script, want := fmt.Sprintf("exit %d", e.code), e.code
				if e.signal != 0 {
					script, want = fmt.Sprintf("ulimit -c 0; kill -%d $$; sleep 5", e.signal), 128+e.signal
				}
				code, exit, said := y.wraps(fmt.Sprintf("c%d-s%d", e.code, e.signal), "sh", "-c", script)
				if code != want || exit.Code != e.code || exit.Signal != e.signal || exit.Spawn != "" || exit.AskedBy != "worker" {
					t.Errorf("%s: exit %d, %+v, %s", script, code, exit, said)
				}
			}
		})
	}
	for _, e := range ends {
		next <- e
	}
	close(next)
	working.Wait()
	rows := map[end]bool{}
	for _, e := range y.events("") {
		if e.Kind == "run.exited" {
			got := end{}
			if e.Signal != nil {
				got.signal = int(*e.Signal)
			} else if e.Code != nil {
				got.code = int(*e.Code)
			}
			rows[got] = true
		}
	}
	if len(rows) != len(ends) {
		t.Errorf("the log has %d different ends, want %d", len(rows), len(ends))
	}
}

// used is the CPU time of a process alone, with all its threads.
func used(t *testing.T, pid int) (total time.Duration) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d threads, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		var ns int64
		if _, err := fmt.Sscan(string(text), &ns); err != nil {
			t.Fatal(err)
		}
		total += time.Duration(ns)
	}
	return total
}

// While its command is idle a wrapper does no more than to beat and to look
// once an interval; and what the command writes, a gigabyte here, goes past it.
func TestAWrapperCostsNothing(t *testing.T) {
	y := newYard(t)
	y.program = shipped(t)
	cmd, _ := y.start("run", "--id=r", "--quiet", "--", "sh", "-c",
		"echo up >up.r.1; until test -e go; do sleep 0.05; done; head -c 1073741824 /dev/zero; echo over >over; exec sleep 600")
	y.pid("r", 1)
	pause(time.Second) // it settles
	beat := func() time.Time {
		info, err := os.Stat(filepath.Join(y.root, "r", rundir.HeartbeatFile))
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	before, beaten := used(t, cmd.Process.Pid), beat()
	y.until("a heartbeat", func() bool { return beat().After(beaten) })
	idle := used(t, cmd.Process.Pid) - before
	if idle > 40*time.Millisecond {
		t.Errorf("an interval of idling costs %v", idle)
	}
	before = used(t, cmd.Process.Pid)
	began := time.Now()
	if err := os.WriteFile(filepath.Join(y.dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	y.until("a gigabyte", func() bool { return strings.HasPrefix(y.read("over"), "over") })
	loud, took := used(t, cmd.Process.Pid)-before, time.Since(began)
	// As much as idling for as long, and a beat more.
	if most := 40 * time.Millisecond * (2 + took/(5*time.Second)); loud > most {
		t.Errorf("a gigabyte costs the wrapper %v in %v, want at most %v", loud, took, most)
	}
	if info, err := os.Stat(filepath.Join(y.root, "r", rundir.LogFile)); err != nil || info.Size() != 1<<30 {
		t.Errorf("the log: %v, %v", info, err)
	}
	t.Logf("idle %v an interval; a gigabyte in %v costs %v", idle, took, loud)
}

func (y *yard) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(y.dir, name)) // not there: nothing
	return string(text)
}
