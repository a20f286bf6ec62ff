package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCompletionRunsNothing(t *testing.T) {
	for _, row := range []struct {
		words []string
		want  []string
	}{
		{[]string{""}, []string{"status", "step", "run", "help"}},
		{[]string{"st"}, []string{"status", "step"}},
		{[]string{"--json", "st"}, []string{"status", "step"}},
		{[]string{"--db", ""}, nil},
		{[]string{"--db", "=", ""}, nil},
		{[]string{"--db", "=", "x", "ru"}, []string{"run"}},
		{[]string{"--db=x", "ru"}, []string{"run"}},
		{[]string{"step", ""}, []string{"done", "-"}},
		{[]string{"step", "d"}, []string{"done"}},
		{[]string{"step", "zzz", "--ep"}, nil},
		{[]string{"step", "done", "--ep"}, []string{"--epoch"}},
		{[]string{"step", "done", "7", "--run", "r", "--ep"}, []string{"--epoch"}},
		{[]string{"step", "done", "--run", ""}, nil},
		{[]string{"status", "--"}, []string{"--db", "--follow", "--help", "--json", "--policy", "--root", "--wait"}},
		{[]string{"status", "-"}, []string{}},
		{[]string{"nosuch", ""}, nil},
		{[]string{"help", "st"}, []string{"status", "step"}},
		{[]string{"run", "--", "rm", "-rf", "x"}, nil},
		{[]string{"$(touch x)", "`touch x`", ""}, nil},
	} {
		s := newSample(nil)
		complete(s.env, row.words)
		if got := strings.Fields(s.out.String()); !slices.Equal(got, row.want) || s.ran != "" {
			t.Errorf("complete %q = %q, ran %q, want %q", row.words, got, s.ran, row.want)
		}
	}
}

func TestAnythingWithTheCompletionWordIsARequest(t *testing.T) {
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{"progmon", askCandidates}, []string{}},
		{[]string{"progmon", askCandidates, "run", "--", "rm"}, []string{"run", "--", "rm"}},
		{[]string{"progmon", "run", "--", "rm", askCandidates}, []string{"run", "--", "rm", ""}},
		{[]string{"progmon", "run", "--", "x", askCandidates, "rm"}, []string{"run", "--", "x", ""}},
		{[]string{"progmon", "status", "--js", askCandidates}, []string{"status", "--js"}},
	} {
		if got, ok := completionRequest(row.args); !ok || !slices.Equal(got, row.want) {
			t.Errorf("completionRequest(%q) = %q, %v, want %q", row.args, got, ok, row.want)
		}
	}
	if _, ok := completionRequest([]string{"progmon", "status"}); ok {
		t.Error("progmon status was taken for a completion")
	}
}
