package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// sample is a frame with a few commands that only tell what they were given.
type sample struct {
	env         *env
	out, errOut bytes.Buffer
	vars        map[string]string
	ran         string
}

func newSample(vars map[string]string) *sample {
	s := &sample{vars: vars}
	s.env = newEnv(strings.NewReader(""), &s.out, &s.errOut)
	s.env.getenv = func(name string) string { return s.vars[name] }
	s.env.table = func() []section {
		return []section{{"Sample", []entry{
			{"status", "judge", s.status},
			{"step", "flip", s.step},
			{"run", "wrap", s.wrap},
			{"absent", "not in this build", nil},
		}}}
	}
	return s
}

// do runs a line of words and gives the exit code.
func (s *sample) do(words ...string) int {
	return s.env.finish(dispatch(s.env, append([]string{"progmon"}, words...)))
}

func (s *sample) tell(name string) cli.ActionFunc {
	return func(c *cli.Context) error {
		var b strings.Builder
		fmt.Fprintf(&b, "%s %q", name, c.Args().Slice())
		for _, flag := range []string{"run", "epoch", "follow", "wait"} {
			if c.IsSet(flag) {
				fmt.Fprintf(&b, " %s=%v", flag, c.Value(flag))
			}
		}
		fmt.Fprintf(&b, " json=%v db=%s roots=%q", s.env.json, s.env.dbFlag, s.env.roots())
		s.ran = b.String()
		return nil
	}
}

func (s *sample) status(*env) *cli.Command {
	wait := new(durationFlag)
	return &cli.Command{
		Name: "status", ArgsUsage: "[RUN...]", UsageText: "progmon status nightly", Action: s.tell("status"),
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}},
			newDurationFlag(wait, "wait", "how long", "PROGMON_WAIT"),
		},
	}
}

func (s *sample) step(*env) *cli.Command {
	flags := func() []cli.Flag { return []cli.Flag{runFlag(), epochFlag()} }
	return &cli.Command{Name: "step", Subcommands: []*cli.Command{
		{Name: "done", ArgsUsage: "STEP", UsageText: "progmon step done 7 --run nightly", Flags: flags(), Action: s.tell("step done")},
		{Name: "-", UsageText: "progmon step -", Flags: flags(), Action: s.tell("step -")},
	}}
}

func (s *sample) wrap(*env) *cli.Command {
	return &cli.Command{
		Name: "run", ArgsUsage: "-- CMD [ARG...]", UsageText: "progmon run -- make", Action: s.tell("run"),
		Flags: []cli.Flag{runFlag()},
	}
}

func TestWordsMayStandInAnyOrder(t *testing.T) {
	vars := map[string]string{
		"PROGMON_RUN": "env-run", "PROGMON_EPOCH": "junk", "PROGMON_WAIT": "", "PROGMON_JSON": "0",
		"PROGMON_ROOT": "a:b", "RUN_ROOT": "c",
	}
	for _, row := range []struct {
		claim string
		vars  map[string]string
		words string
		want  string
	}{
		{"a global flag before", nil, "--json status r1", `status ["r1"] json=true db= roots=[]`},
		{"a global flag after the arguments", nil, "status r1 --json", `status ["r1"] json=true db= roots=[]`},
		{"a global flag in the middle", nil, "status --db x.db r1 r2", `status ["r1" "r2"] json=false db=x.db roots=[]`},
		{"own flags after the arguments", nil, "status r1 -f --wait=1d", `status ["r1"] follow=true wait=24h0m0s json=false db= roots=[]`},
		{"the last of two wins", nil, "--db a status --db b", `status [] json=false db=b roots=[]`},
		{"a repeated flag keeps all, commas too", nil, "--root a,b status --root c", `status [] json=false db= roots=["a,b" "c"]`},
		{"a subcommand's flag before it", nil, "step --run r done 7", `step done ["7"] run=r json=false db= roots=[]`},
		{"a number is decimal", nil, "step done 7 --run r --epoch 010", `step done ["7"] run=r epoch=10 json=false db= roots=[]`},
		{"a dash is an argument", nil, "status -", `status ["-"] json=false db= roots=[]`},
		{"a dash is a subcommand", nil, "step - --run r", `step - [] run=r json=false db= roots=[]`},
		{"nothing after -- is a flag", nil, "status -- --json -rf", `status ["--json" "-rf"] json=false db= roots=[]`},
		{"a wrapped command is left alone", nil, "run --run r -- cmd --json -- --db x help", `run ["cmd" "--json" "--" "--db" "x" "help"] run=r json=false db= roots=[]`},
		{"variables stand in, flags win", vars, "step done 7 --epoch 3", `step done ["7"] run=env-run epoch=3 json=false db= roots=["a" "b"]`},
	} {
		s := newSample(row.vars)
		if code := s.do(strings.Fields(row.words)...); code != 0 || s.ran != row.want {
			t.Errorf("%s: progmon %s = %d, %s, want %s\n%s", row.claim, row.words, code, s.ran, row.want, &s.errOut)
		}
	}
}

func TestAUsageErrorIsTwoLinesAndRunsNothing(t *testing.T) {
	for _, row := range []struct{ words, msg, example string }{
		{"", "no command was given", "progmon --help"},
		{"stauts", `unknown command "stauts"; did you mean status?`, "progmon status nightly"},
		{"stpe done", `unknown command "stpe"; did you mean step?`, "progmon step done 7 --run nightly"},
		{"absent", `unknown command "absent"`, "progmon --help"},
		{"a\x1b[2Jb", `unknown command "a\x1b[2Jb"`, "progmon --help"},
		{"help nosuch", `unknown command "nosuch"`, "progmon --help"},
		{"-rf", `unknown flag "-rf" before the command`, "progmon --help"},
		{"status -rf", `unknown flag "-rf"`, "progmon status nightly"},
		{"status --jsn", `unknown flag "--jsn"; did you mean --json?`, "progmon status nightly"},
		{"status -json", `unknown flag "-json"; did you mean --json?`, "progmon status nightly"},
		{"status --f", `unknown flag "--f"`, "progmon status nightly"},
		{"status --run r", `unknown flag "--run"`, "progmon status nightly"},
		{"status --wait 5", `--wait: duration "5" has no unit: write 5s, 5m or 5h`, "progmon status nightly"},
		{"status --wait -5m", `--wait: duration "-5m" is negative`, "progmon status nightly"},
		{"status --wait", `--wait needs a value`, "progmon status nightly"},
		{"status --wait --json", `--wait needs a value; one that begins with a dash is written --wait=--json`, "progmon status nightly"},
		{"status --wait=", `the value of --wait is empty`, "progmon status nightly"},
		{"status --json=maybe", `--json: "maybe" is not true or false`, "progmon status nightly"},
		{"step", "progmon step needs one of: done, -", "progmon step done 7 --run nightly"},
		{"step dnoe 7", `progmon step has no "dnoe"; did you mean done?`, "progmon step done 7 --run nightly"},
		{"step zzz", `progmon step has no "zzz"; it has: done, -`, "progmon step done 7 --run nightly"},
		{"step done", `progmon step done needs STEP`, "progmon step done 7 --run nightly"},
		{"step done 7 8", `unexpected argument "8"`, "progmon step done 7 --run nightly"},
		{"step done -7", `unknown flag "-7"; an argument that begins with a dash goes after --`, "progmon step done 7 --run nightly"},
		{"step done 7 --epoch x", `--epoch: "x" is not a whole number`, "progmon step done 7 --run nightly"},
		{"step done 7 --epoch 99999999999999999999", `--epoch: 99999999999999999999 is out of range`, "progmon step done 7 --run nightly"},
		{"step done 7 --wait 5s", `unknown flag "--wait"`, "progmon step done 7 --run nightly"},
		{"run make", `progmon run takes its command after --, not "make"`, "progmon run -- make"},
		{"run make -- all", `progmon run takes its command after --, not "make"`, "progmon run -- make"},
		{"run --", "progmon run needs CMD after --", "progmon run -- make"},
		{"run", "progmon run needs CMD after --", "progmon run -- make"},
	} {
		s := newSample(nil)
		code := s.do(strings.Fields(row.words)...)
		want := "progmon: " + row.msg + "\nprogmon: try: " + row.example + "\n"
		if code != exitUsage || s.errOut.String() != want || s.out.Len() > 0 || s.ran != "" {
			t.Errorf("progmon %s = %d, stdout %q, ran %q, stderr\n%swant\n%s", row.words, code, &s.out, s.ran, &s.errOut, want)
		}
	}
}

func TestABadVariableIsNamed(t *testing.T) {
	s := newSample(map[string]string{"PROGMON_WAIT": "5"})
	if code := s.do("status"); code != exitUsage || !strings.Contains(s.errOut.String(), "the variable PROGMON_WAIT: duration") {
		t.Errorf("status with PROGMON_WAIT=5 = %d, %s", code, &s.errOut)
	}
}
