//go:build unix

package doctor

import (
	"context"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// practice is a directory with a trail of one run, and a policy file.
type practice struct {
	*testing.T
	dir, trail, policy string
}

func newPractice(t *testing.T) practice {
	dir := t.TempDir()
	p := practice{t, dir, filepath.Join(dir, "trail.db"), filepath.Join(dir, "policy.toml")}
	s, err := store.Open(t.Context(), p.trail)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), store.Declared{Run: "nightly", Total: cursor.Total{N: 3, Known: true}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p.write("[sink.log]\ntype = \"jsonl\"\npath = \"" + filepath.Join(dir, "out.jsonl") + "\"\n")
	return p
}

func (p practice) write(policy string) {
	p.Helper()
	if err := os.WriteFile(p.policy, []byte(policy), 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p practice) exec(statements ...string) {
	p.Helper()
	db, err := sql.Open("sqlite", p.trail)
	if err != nil {
		p.Fatal(err)
	}
	defer db.Close()
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			p.Fatal(err)
		}
	}
}

func (p practice) do(errs ...error) {
	p.Helper()
	for _, err := range errs {
		if err != nil {
			p.Fatal(err)
		}
	}
}

// watcher is a row of a monitor that looked so long ago.
func (p practice) watcher(ago time.Duration, more string) {
	p.Helper()
	at := time.Now().Add(-ago).UnixMilli()
	p.exec(`INSERT INTO monitor (id, host, pid, boot_id, started_ms, interval_ms, late_ms, last_look_ms, last_mono_ms) VALUES ('m', 'h', 1, 'another', 1, 5000, 15000, 1, 1)`)
	db, err := sql.Open("sqlite", p.trail)
	p.do(err)
	defer db.Close()
	_, err = db.Exec(`UPDATE monitor SET last_look_ms = ? `+more, at)
	p.do(err)
}

func TestTheDoctorFinds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		claim string
		spoil func(p practice)
		check string
		level Level
		text  string
	}{
		{"a trail", func(practice) {}, "trail", Fine, "schema 2, newest event 1"},
		{"its log", func(practice) {}, "pragmas", Fine, "journal_mode is wal"},
		{"its mode", func(practice) {}, "permissions", Fine, "mode 0600"},
		{"a policy", func(practice) {}, "policy", Fine, "policy.toml"},
		{"room", func(practice) {}, "disk", Fine, "MB are free"},
		{"nobody who watches", func(practice) {}, "monitor", Warn, "nobody ever looked"},
		{"nobody outside", func(p practice) { p.watcher(0, "") }, "monitor", Note, "nobody outside notices"},
		{"somebody who watches", func(p practice) { p.watcher(0, "") }, "monitor", Fine, "m looked "},
		{"a monitor that is gone", func(p practice) { p.watcher(time.Hour, "") }, "monitor", Bad, "m last looked 1h ago, and was to look every 5s"},
		{"a monitor that ended", func(p practice) { p.watcher(time.Hour, ", stopped_ms = 5") }, "monitor", Warn, "ended on purpose, 1h ago"},
		{"a monitor that is blind", func(p practice) { p.watcher(0, ", blind_ms = 5") }, "monitor", Bad, "cannot read part of what it watches"},
		{"no trail", func(p practice) { p.do(os.Remove(p.trail)) }, "trail", Warn, "missing"},
		{"a FIFO", func(p practice) { p.do(os.Remove(p.trail), syscall.Mkfifo(p.trail, 0o600)) }, "trail", Bad, "not-a-trail"},
		{"garbage", func(p practice) { p.do(os.WriteFile(p.trail, []byte("garbage, and plenty of it"), 0o600)) }, "trail", Bad, "not-a-trail"},
		{"a trail that all may write", func(p practice) { p.do(os.Chmod(p.trail, 0o666)) }, "permissions", Warn, "who can write it can forge it"},
		{"a trail that all may read", func(p practice) { p.do(os.Chmod(p.trail, 0o644)) }, "permissions", Note, "others may read the trail (mode 0644)"},
		{"a directory of everybody", func(p practice) { p.do(os.Chmod(p.dir, 0o777)) }, "permissions", Warn, "anybody may move files"},
		{"a log that lost its mode", func(p practice) { p.exec("PRAGMA journal_mode = DELETE") }, "pragmas", Bad, "journal_mode is delete"},
		{"a stamp from the future", func(p practice) {
			p.exec(`INSERT INTO event (at_ms, run_id, epoch, kind) SELECT max(at_ms) + 7200000, 'nightly', 1, 'note' FROM event`)
		}, "clock", Warn, "stamped 1h5"},
		{"a policy with faults", func(p practice) { p.write("[default]\nidle_window = 5\nstall_after = \"x\"\n") }, "policy", Bad, "policy.toml:3: "},
		{"a monitor that looks too seldom", func(p practice) { p.write("[monitor]\ninterval = \"10m\"\n") }, "policy", Warn, "idle_window is 5m and the monitor looks every 10m"},
		{"a ceiling below the stall", func(p practice) { p.write("[family.a]\nmax_runtime = \"10m\"\n") }, "policy", Warn, "[family.a]: max_runtime (10m) ends before stall_after (15m)"},
		{"a secret for all to read", func(p practice) {
			p.write("[sink.a]\ntype = \"webhook\"\nurl = \"http://" + l.Addr().String() + "\"\nsecret = \"x\"\n")
			p.do(os.Chmod(p.policy, 0o644))
		}, "policy", Warn, "there is a secret in it"},
		{"no sinks", func(p practice) { p.write("") }, "sinks", Note, "reach nobody"},
		{"a sink", func(practice) {}, "sink log", Fine, "jsonl can be reached"},
		{"a sink in no directory", func(p practice) { p.write("[sink.a]\ntype = \"jsonl\"\npath = \"" + p.dir + "/none/x\"\n") }, "sink a", Bad, "there is no directory"},
		{"a program that is not there", func(p practice) { p.write("[sink.a]\ntype = \"exec\"\nargv = [\"/none/such\"]\n") }, "sink a", Bad, "no such file"},
		{"a server that listens", func(p practice) {
			p.write("[sink.a]\ntype = \"webhook\"\nurl = \"http://" + l.Addr().String() + "/x\"\n")
		}, "sink a", Fine, "webhook can be reached"},
		{"a server that does not", func(p practice) { p.write("[sink.a]\ntype = \"alertmanager\"\nurl = \"http://127.0.0.1:1\"\n") }, "sink a", Bad, "refused"},
		{"a heartbeat that nobody takes", func(p practice) { p.write("[monitor]\nheartbeat_url = \"http://127.0.0.1:1\"\n") }, "heartbeat", Bad, "refused"},
		{"no sink for blindness", func(p practice) {
			p.write("[sink.a]\ntype = \"jsonl\"\npath = \"" + p.dir + "/x\"\nkinds = [\"stalled\"]\n")
		}, "sinks", Warn, "none is told when the monitor is blind"},
		{"a dead letter", func(p practice) { p.letter("log", "dead") }, "outbox", Warn, "1 signals for sink log were given up"},
		{"a letter that waits", func(p practice) { p.letter("log", "waiting") }, "outbox", Note, "1 signals wait for sink log"},
		{"a letter for nobody", func(p practice) { p.letter("gone", "waiting") }, "outbox", Warn, "which the policy file named here does not have"},
	} {
		p := newPractice(t)
		c.spoil(p)
		v := &Visit{Path: p.trail, Policy: p.policy, Now: time.Now}
		found := v.Examine(context.Background())
		ok := false
		for _, f := range found {
			ok = ok || f.Check == c.check && f.Level == c.level && strings.Contains(f.Text, c.text)
			if (f.Level == Bad || f.Level == Warn) && f.Do == "" {
				t.Errorf("%s: nothing is to be done about %+v", c.claim, f)
			}
		}
		if !ok {
			t.Errorf("%s: found\n%+v\nwant %s %s %q", c.claim, found, c.level, c.check, c.text)
		}
		if info, err := os.Stat(p.trail); err == nil && c.claim == "no trail" {
			t.Errorf("the doctor made a trail: %v", info)
		}
	}
}

// letter leaves a delivery in the outbox.
func (p practice) letter(sink, state string) {
	p.Helper()
	p.watcher(0, "")
	p.exec(`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('nightly', 1, 'signal.stalled', 1, 'monitor')`,
		`INSERT INTO delivery (sink, event_id, run_id, queued_ms, state) SELECT '`+sink+`', max(id), 'nightly', 1, '`+state+`' FROM event`)
}

func TestWorst(t *testing.T) {
	if got := Worst([]Finding{{Level: Fine}, {Level: Warn}, {Level: Note}}); got != Warn {
		t.Errorf("Worst() = %s, want warn", got)
	}
	if got := Worst(nil); got != Fine {
		t.Errorf("Worst(nothing) = %s, want ok", got)
	}
}

func TestVersionsAreCompared(t *testing.T) {
	for text, old := range map[string]bool{"3.40.1": true, "3.51.2": true, "3.51.3": false, "3.52.0": false, "4.0.0": false} {
		n, ok := versionOf(text)
		if !ok || before(n, goodSQLite) != old {
			t.Errorf("%s is read as %v, %v", text, n, ok)
		}
	}
	if _, ok := versionOf("none"); ok {
		t.Error("none is a version")
	}
}
