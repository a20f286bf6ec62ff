//go:build unix

package rundir

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/internal/presence"
)

func self(t testing.TB) presence.Identity {
	t.Helper()
	id, err := presence.Self()
	must(t, err)
	return id
}

func TestPIDFile(t *testing.T) {
	d := newDir(t)
	if _, err := d.ReadPID(); !errors.Is(err, ErrAbsent) {
		t.Errorf("ReadPID of a new run = %v, want ErrAbsent", err)
	}
	me := self(t)
	must(t, d.WritePID(PID{Identity: me, Epoch: 2, Wrapper: &me}))
	got, err := d.ReadPID()
	must(t, err)
	if got.Identity != me || got.Epoch != 2 || got.Wrapper == nil || *got.Wrapper != me || time.Since(got.Written) > time.Minute {
		t.Errorf("ReadPID = %+v, want %+v", got, me)
	}
	for content, want := range map[string]int{"42": 42, "42\n": 42, " 42\r\n": 42, `{"pid":42}`: 42} {
		write(t, d.File(PIDFile), content)
		got, err := d.ReadPID()
		if err != nil || got.PID != want || !got.Bare() || got.Noted.IsZero() {
			t.Errorf("worker.pid %q = %+v, %v, want %d, bare", content, got, err, want)
		}
	}
	for _, content := range []string{
		"0", "-1", "1 2", "x", "99999999999", "1073741825", "4\x00", "{", `{"pid":0}`, `{"pid":-5}`, `{"pid":1,"pid":2}`,
		`{"pid":"1"}`, `{"pid":1,"epoch":-1}`, `{"pid":1,"wrapper":{"pid":-1}}`, `{}`,
	} {
		write(t, d.File(PIDFile), content)
		_, err := d.ReadPID()
		if _, malformed := errors.AsType[*MalformedError](err); !malformed {
			t.Errorf("worker.pid %q: %v, want malformed", content, err)
		}
	}
	write(t, d.File(PIDFile), "")
	if _, err := d.ReadPID(); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty worker.pid: %v, want ErrEmpty", err)
	}
	if err := d.WritePID(PID{}); err == nil {
		t.Error("a worker.pid of nobody was written")
	}
}

// A bare number was right when the file was written, and when the log grew.
func TestBareNumberIsNotedWhenTheLogGrew(t *testing.T) {
	d := newDir(t)
	write(t, d.File(PIDFile), "42")
	write(t, d.File(LogFile), "x")
	old, later := time.Now().Add(-2*time.Hour).Truncate(time.Second), time.Now().Add(-time.Hour).Truncate(time.Second)
	must(t, os.Chtimes(d.File(PIDFile), old, old))
	must(t, os.Chtimes(d.File(LogFile), later, later))
	if p, err := d.ReadPID(); err != nil || !p.Written.Equal(old) || !p.Noted.Equal(later) {
		t.Errorf("ReadPID = %+v, %v, want noted at %v", p, err, later)
	}
}

// A command is started again byte for byte, so it is kept so.
func TestCommandIsKeptExactly(t *testing.T) {
	d := newDir(t)
	word := rapid.Custom(func(t *rapid.T) string {
		b := rapid.OneOf(
			rapid.SliceOfN(rapid.ByteRange(1, 255), 0, 20),
			rapid.Custom(func(t *rapid.T) []byte { return []byte(strings.ReplaceAll(rapid.String().Draw(t, "s"), "\x00", "")) }),
		).Draw(t, "bytes")
		return string(b)
	})
	rapid.Check(t, func(t *rapid.T) {
		c := Command{
			Argv:    append([]string{"cmd" + word.Draw(t, "name")}, rapid.SliceOf(word).Draw(t, "argv")...),
			Dir:     word.Draw(t, "dir"),
			Env:     rapid.SliceOf(word).Draw(t, "env"),
			Wrapper: rapid.SliceOf(word).Draw(t, "wrapper"),
		}
		if err := d.WriteCommand(c); err != nil {
			t.Fatal(err)
		}
		got, err := d.ReadCommand()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Argv, c.Argv) || got.Dir != c.Dir || !slices.Equal(got.Env, c.Env) || !slices.Equal(got.Wrapper, c.Wrapper) {
			t.Fatalf("read %q, want %q", got, c)
		}
	})
}

func TestCommandThatMustNotBeStarted(t *testing.T) {
	d := newDir(t)
	for _, c := range []Command{{}, {Argv: []string{""}}, {Argv: []string{"a\x00b"}}, {Argv: []string{"a"}, Env: []string{"K=\x00"}}} {
		if err := d.WriteCommand(c); err == nil {
			t.Errorf("WriteCommand(%q) = nil", c)
		}
	}
	const secret = `{"argv":[],"env":["TOKEN=hunter2"]}`
	for _, content := range []string{secret, "[", `{"argv":[{"base65":""}]}`, `{"argv":["a\u0000b"]}`, `{"argv":[7]}`} {
		write(t, d.File(CommandFile), content)
		_, err := d.ReadCommand()
		if _, malformed := errors.AsType[*MalformedError](err); !malformed || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("ReadCommand of %s = %v, want malformed, without what it holds", content, err)
		}
	}
	must(t, d.WriteCommand(Command{Argv: []string{"true"}}))
	must(t, os.Chmod(d.File(CommandFile), 0o666))
	if _, err := d.ReadCommand(); !errors.Is(err, ErrNotOurs) {
		t.Errorf("ReadCommand of what anybody may write = %v, want ErrNotOurs", err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Chmod(d.File(CommandFile), 0o600))
		must(t, os.Chown(d.File(CommandFile), 65534, 65534))
		if _, err := d.ReadCommand(); !errors.Is(err, ErrNotOurs) {
			t.Errorf("ReadCommand of what another user wrote = %v, want ErrNotOurs", err)
		}
	}
}

func TestNudgesAndRequests(t *testing.T) {
	d := newDir(t)
	want := Nudge{Epoch: 2, Since: 41, Reason: "degraded: quiet", AtMS: 99}
	must(t, d.Ping(want))
	if got, err := d.ReadPing(); err != nil || got != want {
		t.Errorf("ReadPing = %+v, %v, want %+v", got, err, want)
	}
	if _, err := d.ReadWrapup(); !errors.Is(err, ErrAbsent) {
		t.Errorf("ReadWrapup before there is one = %v, want ErrAbsent", err)
	}
	must(t, d.Wrapup(want))
	if got, err := d.ReadWrapup(); err != nil || got != want {
		t.Errorf("ReadWrapup = %+v, %v, want %+v", got, err, want)
	}
	stop := Stop{Epoch: 2, By: "user", Reason: strings.Repeat("because ", 1000), GraceMS: 500, AtMS: 99}
	must(t, d.RequestStop(stop))
	got, err := d.ReadStop()
	if err != nil || got.By != "user" || len(got.Reason) != 1024 || got.Grace() != 500*time.Millisecond {
		t.Errorf("ReadStop = %+v, %v", got, err)
	}
	must(t, d.ClearStop())
	must(t, d.ClearStop())
	if _, err := d.ReadStop(); !errors.Is(err, ErrAbsent) {
		t.Errorf("ReadStop after it was answered = %v, want ErrAbsent", err)
	}
}

func TestHeartbeat(t *testing.T) {
	d := newDir(t)
	if at := d.Heartbeat(); !at.IsZero() {
		t.Errorf("Heartbeat of a new run = %v", at)
	}
	must(t, d.Beat(time.UnixMilli(1_700_000_000_000)))
	must(t, d.Beat(time.UnixMilli(1_700_000_000_001)))
	text, err := os.ReadFile(d.File(HeartbeatFile))
	if err != nil || string(text) != "1700000000001\n" {
		t.Errorf("worker.heartbeat = %q, %v", text, err)
	}
	if age := time.Since(d.Heartbeat()); age < -time.Minute || age > time.Minute {
		t.Errorf("the last beat was %v ago", age)
	}
}

// The log goes on where it was, across epochs.
func TestLogIsAppendedTo(t *testing.T) {
	d := newDir(t)
	for range 2 {
		f, err := d.OpenLog()
		must(t, err)
		_, err = f.WriteString("epoch\n")
		must(t, errors.Join(err, f.Close()))
	}
	f, info, err := d.ReadLog()
	must(t, err)
	must(t, f.Close())
	if info.Size() != 12 {
		t.Errorf("the log has %d bytes, want those of two epochs", info.Size())
	}
}

func TestTask(t *testing.T) {
	d := newDir(t)
	must(t, d.WriteTask([]byte("# do it\n\xff")))
	if text, err := os.ReadFile(d.File(TaskFile)); err != nil || string(text) != "# do it\n\xff" {
		t.Errorf("task.md = %q, %v", text, err)
	}
	if err := d.WriteTask(make([]byte, maxTask+1)); !errors.Is(err, ErrCannotCreate) {
		t.Errorf("WriteTask of more than %d bytes = %v, want ErrCannotCreate", maxTask, err)
	}
}

func TestCaptures(t *testing.T) {
	d := newDir(t)
	for _, odd := range []string{"evidence-", "evidence-x", "evidence-07", "evidence--1"} {
		must(t, os.Mkdir(d.File(odd), 0o700))
	}
	write(t, d.File("evidence-2"), "a file in the way")
	for _, want := range []int{1, 3} {
		c, err := d.NewCapture()
		must(t, err)
		if c.N != want || c.Path() != d.File("evidence-"+string(rune('0'+want))) {
			t.Errorf("NewCapture = %d in %s, want %d", c.N, c.Path(), want)
		}
		must(t, c.Write("tree.txt", []byte("1 init\n")))
		for _, name := range []string{"../worker.exit", "a/b", "", ".", "..", ".x"} {
			if err := c.Write(name, nil); err == nil {
				t.Errorf("Write(%q) left the capture", name)
			}
		}
		must(t, c.Close())
	}
	if got, err := d.Captures(); err != nil || !reflect.DeepEqual(got, []int{1, 3}) {
		t.Errorf("Captures = %v, %v, want 1 and 3", got, err)
	}
	must(t, os.Mkdir(d.File("evidence-1000"), 0o700))
	if _, err := d.NewCapture(); !errors.Is(err, ErrCannotCreate) {
		t.Errorf("NewCapture after a thousand = %v, want ErrCannotCreate", err)
	}
}

func TestList(t *testing.T) {
	top := t.TempDir()
	root := top + "/root"
	other := top + "/other"
	for _, name := range []string{"b", "a", "with space", "Upper", "\x1b]0;x\a", "tab\there", ".dot", "lost+found"} {
		must(t, os.MkdirAll(root+"/"+name, 0o700))
	}
	must(t, os.MkdirAll(other, 0o700))
	write(t, root+"/file", "")
	must(t, os.Symlink("a", root+"/latest"))
	must(t, os.Symlink(other, root+"/elsewhere"))
	must(t, os.Symlink(root+"/file", root+"/conf"))
	must(t, os.Symlink(root, top+"/alias"))
	write(t, top+"/notadir", "")

	type line struct{ run, reason string }
	var got []line
	for _, e := range List([]string{root, top + "/alias", root, top + "/none", top + "/notadir", other}) {
		got = append(got, line{e.Run, e.Blind.Reason})
		if (e.Run == "a" || e.Run == "b") != (e.Blind.Reason == "") || e.Blind.Reason != "" && e.Blind.Detail == "" {
			t.Errorf("%+v", e)
		}
		if strings.ContainsAny(e.Run+e.Blind.Detail, "\x1b\a\t") {
			t.Errorf("%q is not safe to print", e)
		}
	}
	want := []line{
		{".dot", "not-a-trail"}, {"Upper", "not-a-trail"}, {`\x1b]0;x\a`, "not-a-trail"}, {"a", ""}, {"b", ""},
		{"elsewhere", "not-a-trail"}, {"lost+found", "not-a-trail"}, {`tab\there`, "not-a-trail"}, {"with space", "not-a-trail"},
		{"", "no-trail"}, {"", "not-a-trail"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
}

func TestBlindnessOf(t *testing.T) {
	d := newDir(t)
	_, absent := d.ReadExit()
	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{absent, "no-trail"},
		{ValidID("../x"), "not-a-trail"},
		{&MalformedError{PIDFile, "it is a FIFO"}, "not-a-trail"},
		{os.ErrPermission, "permission"},
		{errors.New("input/output error"), "corrupt"},
	} {
		if got := BlindnessOf(row.err); got.Reason != row.want {
			t.Errorf("BlindnessOf(%v) = %+v, want %q", row.err, got, row.want)
		}
	}
}
