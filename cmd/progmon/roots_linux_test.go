package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStatusOfPlainDirectoriesIsThatOfACarefulPerson compares status --root
// with testdata/workers/plainwatch.sh on a tree that plainwrap.sh made, and on
// what nobody should have made.
func TestStatusOfPlainDirectoriesIsThatOfACarefulPerson(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("..", "..", "testdata", "workers", name))
		must(err)
		return path
	}
	file := func(id, name string) string { return filepath.Join(root, id, name) }
	wrap := func(id, command string) *exec.Cmd {
		cmd := exec.Command(script("plainwrap.sh"), filepath.Join(root, id), "sh", "-c", command)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must(cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
		return cmd
	}
	appear := func(path string) {
		for again := time.NewTicker(time.Millisecond); ; <-again.C {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				again.Stop()
				return
			}
			must(t.Context().Err())
		}
	}
	made := func(id, name, content string) {
		must(os.MkdirAll(filepath.Join(root, id), 0o700))
		if name != "" {
			must(os.WriteFile(file(id, name), []byte(content), 0o600))
		}
	}
	for id, command := range map[string]string{"done": "exit 0", "three": "exit 3", "top": "exit 255", "killed": "kill -9 $$"} {
		_ = wrap(id, command).Wait()
	}
	both := wrap("vanished", "echo begun; sleep 600")
	appear(file("vanished", "worker.log"))
	must(syscall.Kill(-both.Process.Pid, syscall.SIGKILL))
	_ = both.Wait()
	wrap("busy", "echo begun; sleep 600")
	wrap("idle", "echo begun; sleep 600")
	wrap("mute", "exec sleep 600")
	for _, path := range []string{file("busy", "worker.log"), file("idle", "worker.log"), file("mute", "worker.pid")} {
		appear(path)
	}
	made("nothing", "", "")
	made("huge", "worker.exit", "256\n")
	made("words", "worker.exit", "all fine\n")
	made("dir", "", "")
	must(os.Mkdir(file("dir", "worker.exit"), 0o700))
	made("fifo", "", "")
	must(syscall.Mkfifo(file("fifo", "worker.exit"), 0o600))
	made("link", "", "")
	must(os.Symlink("/dev/zero", file("link", "worker.exit")))
	made("empty", "worker.exit", "")
	must(os.Rename(file("vanished", "worker.pid"), file("empty", "worker.pid")))
	made("vanished", "worker.pid", "4194304\n") // beyond what a kernel gives out

	// What is over was over an hour ago.
	old := time.Now().Add(-time.Hour)
	entries, err := os.ReadDir(root)
	must(err)
	argv := []string{"1"}
	for _, e := range entries {
		id := e.Name()
		argv = append(argv, filepath.Join(root, id))
		if id == "busy" || id == "idle" || id == "mute" {
			continue
		}
		for _, name := range []string{"worker.pid", "worker.log", "worker.exit", ""} {
			if info, err := os.Lstat(file(id, name)); err == nil && info.Mode()&os.ModeSymlink == 0 {
				must(os.Chtimes(file(id, name), old, old))
			}
		}
	}
	// A log is taken to be no older than its process, and both watchers count
	// from the second: the idle one is idle, and the busy one writes on.
	for again := time.NewTicker(10 * time.Millisecond); ; <-again.C {
		info, err := os.Stat(file("idle", "worker.log"))
		must(err)
		if time.Since(info.ModTime()) > 2*time.Second {
			again.Stop()
			break
		}
	}
	log, err := os.OpenFile(file("busy", "worker.log"), os.O_WRONLY|os.O_APPEND, 0)
	must(err)
	ahead := time.Now().Add(time.Minute)
	must(log.Close())
	must(os.Chtimes(file("busy", "worker.log"), ahead, ahead))

	policy := filepath.Join(state, "policy.toml")
	must(os.WriteFile(policy, []byte("[default]\ncheckpoint_interval = \"300ms\"\nidle_window = \"500ms\"\nstall_after = \"1s\"\n"), 0o600))
	cmd := exec.Command("progmon", "--root", root, "--policy", policy, "status", "--all", "--json")
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state, "PROGMON_DB=")
	out, err := cmd.Output()
	must(err)
	var runs struct {
		Runs []struct{ Run, State, Reason, Evidence string }
	}
	must(json.Unmarshal(out, &runs))
	hand, err := exec.Command(script("plainwatch.sh"), argv...).Output()
	must(err)

	byHand := map[string]string{}
	for line := range strings.Lines(string(hand)) {
		id, says, _ := strings.Cut(strings.TrimSpace(line), ": ")
		byHand[id] = says
	}
	if len(runs.Runs) != len(entries) || len(byHand) != len(entries) {
		t.Fatalf("status shows %d, by hand there are %d, want %d", len(runs.Runs), len(byHand), len(entries))
	}
	for _, r := range runs.Runs {
		says := ""
		switch reason := strings.TrimPrefix(r.Reason, "exit "); r.State {
		case "done":
			says = "DONE"
		case "failed":
			says = "FAILED " + reason
		case "stalled":
			says = "STALLED idle"
		case "advancing":
			says = "RUNNING"
		case "starting":
			says = "RUNNING no log yet"
		}
		if says != byHand[r.Run] || r.Evidence != "activity" {
			t.Errorf("%s: %s %s (%s), by hand %q", r.Run, r.State, r.Reason, r.Evidence, byHand[r.Run])
		}
	}
}
