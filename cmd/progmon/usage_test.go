package main

import (
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
