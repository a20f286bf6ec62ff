package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestHelpIsAnAnswer(t *testing.T) {
	for _, words := range []string{
		"--help", "-h", "help", "help step", "step --help", "step help", "step done --help", "status r1 --help", "help step done", "--help status", "--json help", "run --help -- make",
	} {
		s := newSample(nil)
		code := s.do(strings.Fields(words)...)
		if code != 0 || s.out.Len() == 0 || s.errOut.Len() > 0 || s.ran != "" {
			t.Errorf("progmon %s = %d, ran %q, stderr %q, want help on stdout", words, code, s.ran, &s.errOut)
		}
	}
	s := newSample(nil)
	if s.do("run", "--", "make", "--help"); s.ran == "" {
		t.Error("the --help of a wrapped command was taken for ours")
	}
}

func TestHelpShowsEveryExitCode(t *testing.T) {
	s := newSample(nil)
	s.do("--help")
	for _, m := range exitMeanings {
		if !strings.Contains(s.out.String(), fmt.Sprintf("\n  %3d  %s\n", m.code, m.meaning)) {
			t.Errorf("--help does not show exit code %d", m.code)
		}
	}
}

// A word of 100 kB, such as a file that was given in the place of its name, is
// not said again whole.
func TestUsageErrorsAreShort(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	long := func(letters string) string { return strings.Repeat(letters, 100_000/len(letters)) }
	for _, words := range [][]string{
		{long("x")},
		{long("é\x1b")},
		{"--" + long("x")},
		{"-" + long("7")},
		{"step", long("x")},
		{"step", "done", long("1")},
		{"step", "done", long("x")},
		{"step", "done", "a", long("x"), "--run", "r"},
		{"step", "begin", "1", "--run", "r", "--expect", long("x")},
		{"step", "begin", "1", "--run", "r", "--expect", long("1")},
		{"step", "begin", "1", "--run", "r", "--expect", long("9w")},
		{"step", "begin", "1", "--run", "r", "--expect=-" + long("1m")},
		{"step", "done", "1", "--note", "-" + long("x")},
		{"step", "mark", "1", "--run", "r", "--amount", long("1")},
		{"start", long("x")},
		{"start", "--family", long("X ")},
		{"start", "--total", long("x")},
		{"start", "--json=" + long("x")},
		{"claim", "r", "--run", long("x")},
		{"total", long("x"), "--run", "r"},
		{"completion", long("x")},
		{"sinks", "outbox", "retry", long("x")},
		{"policy", "show", "--family", long("X")},
		{"policy", "suggest", long("X")},
		{"adopt", "--pid", "1", "--family", long("X")},
		{"run", long("x")},
		{"run", "--id", long("x"), "--", "true"},
		{"run", "--family", long("x"), "--", "true"},
		{"run", "--ping-signal", long("x"), "--", "true"},
	} {
		var out, errOut bytes.Buffer
		code := run(append([]string{"progmon"}, words...), strings.NewReader(""), &out, &errOut)
		if code != exitUsage || errOut.Len() > 800 || strings.Count(errOut.String(), "\n") != 2 || out.Len() > 0 {
			t.Errorf("progmon %.60q = %d, %d bytes: %.300s", words, code, errOut.Len(), &errOut)
		}
	}
}
