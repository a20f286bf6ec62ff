package policyfile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/policy"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("p.toml", []byte(text))
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return f
}

func TestAFamilyStandsOverDefaultOverWhatIsBuiltIn(t *testing.T) {
	f := parse(t, `
[default]
idle_window = "90s"
stall_after = "20m"
[family.nightly]
stall_after = "2h"
escalate_after = "1d"
max_runtime = "8h"
mode = "enforce"
auto_respawn = true
retry_limit = 1_000
wrapup_fraction = 1
[family.'dots.and-dashes']
vanish_grace = "500ms"
`)
	d, n := f.For("another"), f.For("nightly")
	for _, c := range []struct {
		claim     string
		got, want any
	}{
		{"default says", d.IdleWindow, 90 * time.Second},
		{"built in", d.EscalateAfter, time.Hour},
		{"family inherits default", n.IdleWindow, 90 * time.Second},
		{"family says", n.StallAfter, 2 * time.Hour},
		{"a day", n.EscalateAfter, 24 * time.Hour},
		{"mode", n.Mode, policy.Enforce},
		{"switch", n.AutoRespawn, true},
		{"count", n.RetryLimit, int64(1000)},
		{"a whole number is a number", n.WrapupFraction, 1.0},
		{"under a second", f.For("dots.and-dashes").VanishGrace, 500 * time.Millisecond},
		{"from default", d.From, "[default]"},
		{"from family", n.From, "[family.nightly]"},
		{"origin of a family", f.Origin("nightly", "stall_after"), "[family.nightly], line 6"},
		{"origin of default", f.Origin("nightly", "idle_window"), "[default], line 3"},
		{"origin built in", f.Origin("nightly", "hold_cap"), "built in"},
		{"no file", Builtin().For("x"), policy.Default()},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.claim, c.got, c.want)
		}
	}
}

func TestHowOftenToMarkFollowsAShorterWindow(t *testing.T) {
	f := parse(t, "[default]\nidle_window = \"10s\"\nstall_after = \"30s\"\n")
	if got := f.For("x").CheckpointInterval; got != 4*time.Second {
		t.Errorf("checkpoint_interval = %v, want 4s", got)
	}
	if got := f.Origin("x", "checkpoint_interval"); got != "two fifths of idle_window" {
		t.Errorf("Origin = %q", got)
	}
}

func TestMonitorAndSinks(t *testing.T) {
	f := parse(t, `
[monitor]
interval = "500ms"
late_after = 5
heartbeat_url = "https://example.org/ping"
[sink.log]
type = "jsonl"
path = "/var/log/signals.jsonl"
[sink.page]
type = "webhook"
url = "https://example.org/hook"
secret_file = "/etc/secret"
deadline = "3s"
families = ["nightly"]
kinds = ["stalled", "blind"]
states = ["stuck"]
[sink]
run.type = "exec"
run.argv = ["logger", "-t", "progmon"]
`)
	if m := f.Monitor; m.Interval != 500*time.Millisecond || m.BlindRepeat != 5*time.Minute || m.Late(time.Second) != 5*time.Second {
		t.Errorf("Monitor = %+v", m)
	}
	if len(f.Sinks) != 3 || f.Sinks[0].Name != "log" || f.Sinks[0].Deadline != 10*time.Second ||
		f.Sinks[1].Deadline != 3*time.Second || f.Sinks[2].Argv[2] != "progmon" {
		t.Errorf("Sinks = %+v", f.Sinks)
	}
}

func TestWhatIsWrongIsSaidWithItsLine(t *testing.T) {
	for _, c := range []struct{ claim, text, want string }{
		{"an unknown key, and what was meant", "[default]\nidle_windw = \"5m\"\n", `p.toml:2: unknown key "idle_windw" in [default]; did you mean idle_window?`},
		{"an unknown table", "[defaults]\n", `p.toml:1: unknown table [defaults]`},
		{"a key outside of any table", "idle_window = \"5m\"\n", `p.toml:1: unknown key idle_window`},
		{"a bare number", "[default]\n\nidle_window = 300\n", `p.toml:3: idle_window is a bare number`},
		{"a number in quotes", "[default]\nidle_window = \"300\"\n", `p.toml:2: idle_window: duration "300" has no unit`},
		{"a number with a point", "[default]\nidle_window = 1.5\n", `p.toml:2: idle_window is a bare number`},
		{"a duration without quotes", "[default]\nidle_window = 5m\n", `p.toml:2: `},
		{"a negative duration", "[default]\nexit_grace = \"-5m\"\n", `p.toml:2: exit_grace: duration "-5m" is negative`},
		{"idle_window over stall_after", "[default]\nstall_after = \"10m\"\nidle_window = \"10m\"\n", `p.toml:3: [default]: idle_window (10m) must be shorter than stall_after (10m); stall_after is in line 2`},
		{"idle_window over what is built in", "[default]\nidle_window = \"20m\"\n", `p.toml:2: [default]: idle_window (20m) must be shorter than stall_after (15m); stall_after is built in`},
		{"stall_after over escalate_after", "[default]\nstall_after = \"2h\"\n", `p.toml:2: [default]: stall_after (2h) must be shorter than escalate_after (1h)`},
		{"checkpoint_interval over idle_window", "[default]\ncheckpoint_interval = \"5m\"\n", `p.toml:2: [default]: checkpoint_interval (5m) must be shorter than idle_window (5m)`},
		{"a family against default", "[default]\nidle_window = \"10m\"\n[family.x]\nstall_after = \"10m\"\n", `p.toml:4: [family.x]: idle_window (10m) must be shorter than stall_after (10m); idle_window is in line 2`},
		{"a fraction beyond 1", "[default]\nwrapup_fraction = 1.5\n", `p.toml:2: [default]: wrapup_fraction is 1.5`},
		{"a fraction that is none", "[default]\nwrapup_fraction = nan\n", `p.toml:2: wrapup_fraction: nan is no number`},
		{"a mode that there is not", "[default]\nmode = \"kill\"\n", `p.toml:2: [default]: mode is "kill"`},
		{"a zero that would judge everyone", "[default]\nretry_limit = 0\n", `p.toml:2: [default]: retry_limit is 0`},
		{"a count that is text", "[default]\nretry_limit = \"5\"\n", `p.toml:2: retry_limit wants a whole number, not text`},
		{"a key given twice", "[default]\nidle_window = \"4m\"\nidle_window = \"5m\"\n", `p.toml:3: default.idle_window is given twice, first in line 2`},
		{"a table given twice", "[default]\n[monitor]\n[default]\n", `p.toml:3: [default] is given twice, first in line 1`},
		{"bad syntax", "[default\n", `p.toml:1: `},
		{"a family without a name", "[family]\nidle_window = \"5m\"\n", `p.toml:2: family.idle_window is not in a table with a name: write [family.NAME]`},
		{"a family with a bad name", "[family.\"a/b\"]\n", `p.toml:1: "a/b" is no name of a family`},
		{"a name that would repaint the terminal", "[family.\"a\\u001b[2J\"]\n", `p.toml:1: "a\x1b[2J" is no name of a family`},
		{"a list of tables", "[[sink]]\ntype = \"exec\"\n", `p.toml:1: [[sink]] is written with single brackets`},
		{"default that is no table", "default = 5\n", `p.toml:1: default is a table: write [default]`},
		{"a table too deep", "[default.x]\n", `p.toml:1: unknown table [default.x]`},
		{"a key too deep", "[default]\nidle_window.x = \"5m\"\n", `p.toml:2: unknown key default.idle_window.x`},
		{"an unknown key of the monitor", "[monitor]\nintervall = \"5s\"\n", `p.toml:2: unknown key "intervall" in [monitor]; did you mean interval?`},
		{"an interval too short", "[monitor]\ninterval = \"50ms\"\n", `p.toml:2: interval is at least 100ms`},
		{"a sink of an unknown type", "[sink.x]\ntype = \"smoke\"\n", `p.toml:2: type "smoke" is none that a sink has`},
		{"a sink without a type", "[sink.x]\npath = \"a\"\n", `p.toml:1: [sink.x] has no type`},
		{"a sink without a place", "[sink.x]\ntype = \"webhook\"\n", `p.toml:1: [sink.x] is of type webhook and has no url`},
		{"a sink with the place of another", "[sink.x]\ntype = \"exec\"\nargv = [\"a\"]\nurl = \"http://h\"\n", `p.toml:4: url has no place in a sink of type exec`},
		{"a template without one", "[sink.x]\ntype = \"template\"\nurl = \"http://h\"\n", `p.toml:1: [sink.x] is of type template and has not one of format and template_file`},
		{"a format that is none", "[sink.x]\ntype = \"template\"\nurl = \"http://h\"\nformat = \"smoke\"\n", `p.toml:4: format "smoke" is none that there is: it is slack, discord, ntfy`},
		{"the format of another", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\nformat = \"slack\"\n", `p.toml:4: format has no place in a sink of type webhook`},
		{"a label of progmon's", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\n[sink.x.labels]\nrun = \"a\"\n", `p.toml:5: labels: run is set by progmon`},
		{"a label that is none", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\nlabels = { \"a-b\" = \"c\" }\n", `p.toml:4: labels: "a-b" is no name of a label`},
		{"a label without a text", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\n[sink.x.labels]\nteam = 3\n", `p.toml:5: labels.team wants text`},
		{"labels that are no table", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\nlabels = \"a\"\n", `p.toml:4: labels is a table: write [sink.x.labels]`},
		{"two secrets", "[sink.x]\ntype = \"webhook\"\nurl = \"http://h\"\nsecret = \"a\"\nsecret_file = \"b\"\n", `p.toml:5: secret and secret_file are both given`},
		{"an address that is none", "[sink.x]\ntype = \"webhook\"\nurl = \"file:///etc/passwd\"\n", `p.toml:3: url is no http or https address`},
		{"a filter for nothing", "[sink.x]\ntype = \"jsonl\"\npath = \"a\"\nkinds = [\"staled\"]\n", `p.toml:4: kinds knows no "staled"`},
		{"a NUL", "[default]\n\x00", `p.toml:2: a NUL byte`},
		{"no UTF-8", "[default]\n# \xff\n", `p.toml:2: `},
	} {
		t.Run(c.claim, func(t *testing.T) {
			f, err := Parse("p.toml", []byte(c.text))
			if err == nil {
				t.Fatalf("Parse(%q) = %+v, want an error", c.text, f)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("Parse(%q)\n got %s\nwant %s", c.text, err, c.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("Parse(%q): %T, want an *Error", c.text, err)
			}
		})
	}
}

func TestEverythingThatIsWrongIsSaid(t *testing.T) {
	_, err := Parse("p.toml", []byte(`
[default]
idle_window = 300
stall_afte = "15m"
[family.a]
idle_window = "1h"
[family.b]
mode = 7
[sink.x]
type = "exec"
`))
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, line[:strings.Index(line, ": ")])
	}
	if got, want := strings.Join(lines, " "), "p.toml:3 p.toml:4 p.toml:6 p.toml:8 p.toml:9"; got != want {
		t.Errorf("findings in %s, want %s\n%v", got, want, err)
	}
}

func TestAContradictionOfDefaultIsSaidOnce(t *testing.T) {
	_, err := Parse("p.toml", []byte("[default]\nidle_window = \"20m\"\n[family.a]\nmax_runtime = \"1h\"\n[family.b]\n"))
	if got := strings.Count(err.Error(), "\n"); got != 0 {
		t.Errorf("%d lines, want 1:\n%v", got+1, err)
	}
}

func TestARecordIsReadAgain(t *testing.T) {
	p := policy.Default()
	p.MaxRuntime, p.StallAfter, p.Mode, p.WrapupFraction = 90*time.Minute, 1500*time.Millisecond+17*time.Minute, policy.Enforce, 0.25
	got, err := ParseRecord(p.AppendRecord(nil))
	p.From = policy.FromRun
	if err != nil || got != p {
		t.Errorf("ParseRecord(%s)\n got %+v, %v\nwant %+v", p.AppendRecord(nil), got, err, p)
	}
	if got, err := ParseRecord(policy.Default().AppendRecord(nil)); err != nil || got.MaxRuntime != 0 {
		t.Errorf("no ceiling is recorded as %s and read as %+v, %v", policy.Default().AppendRecord(nil), got, err)
	}
	if got, err := ParseRecord([]byte(`{"max_runtime":"0s"}`)); err != nil || got.MaxRuntime != 0 {
		t.Errorf("a record of before: %+v, %v", got, err)
	}
	if got, err := ParseRecord([]byte(`{"idle_window":"1m0s","of_tomorrow":[1]}`)); err != nil || got.IdleWindow != time.Minute || got.LoopRows != 3 {
		t.Errorf("a record of another version: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "7", "[]", `{"idle_window":5}`, `{"idle_window":"-5m"}`, `{"idle_window":"2h"}`, `{"mode":"kill"}`, `{"retry_limit":1.5}`} {
		if got, err := ParseRecord([]byte(bad)); err == nil {
			t.Errorf("ParseRecord(%s) = %+v, want an error", bad, got)
		}
	}
}
