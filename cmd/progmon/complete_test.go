package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
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
		s := newSample(map[string]string{"XDG_STATE_HOME": t.TempDir()}) // where nobody keeps a trail
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

// TestCompletionKnowsTheRuns: from a trail that is there, and makes none.
func TestCompletionKnowsTheRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trail.db")
	w, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"nightly-1", "nightly-2", "weekly", "over"} {
		r, err := w.Start(t.Context(), store.Declared{Run: id})
		if err == nil && id == "over" {
			_, err = r.Finish(t.Context(), cursor.Exit{Known: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none.db")
	for _, row := range []struct {
		words []string
		want  []string
	}{
		{[]string{"--db", path, "show", "n"}, []string{"nightly-1", "nightly-2"}},
		{[]string{"--db", "=", path, "status", "weekly", ""}, []string{"nightly-1", "nightly-2", "weekly"}},
		{[]string{"show", "--db=" + path, "o"}, []string{"over"}},
		{[]string{"--db", path, "step", "done", "7", "--run", "w"}, []string{"weekly"}},
		{[]string{"--db", path, "total", ""}, nil},
		{[]string{"--db", path, "total", "7", "w"}, []string{"weekly"}},
		{[]string{"--db", path, "show", "weekly", ""}, nil},
		{[]string{"--db", path, "start", "n"}, nil},
		{[]string{"--db", path, "show", "' OR 1 --"}, nil},
		{[]string{"--db", path, "run", "--", "show", "n"}, nil},
		{[]string{"--db", none, "show", ""}, nil},
	} {
		var out, errOut bytes.Buffer
		e := newEnv(strings.NewReader(""), &out, &errOut)
		e.completeWithin = time.Minute // a busy machine is not what is tested
		complete(e, row.words)
		if got := strings.Fields(out.String()); !slices.Equal(got, row.want) || errOut.Len() > 0 {
			t.Errorf("complete %q = %q, stderr %q, want %q", row.words, got, &errOut, row.want)
		}
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("stat %s = %v, want none made", none, err)
	}
}
