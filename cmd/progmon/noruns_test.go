package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/progmon/progmon/store"
)

// A trail without a run is 3 to whoever checks, and no fault otherwise.
func TestNoRunsAtAll(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trail.db")
	s, err := store.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"status"}, exitFine, "NO MONITOR ever looked · NO RUNS are recorded here\n"},
		{[]string{"status", "--check"}, exitBlind, "NO MONITOR ever looked · NO RUNS are recorded here\n"},
		{[]string{"watch", "--once"}, exitBlind, ""},
		{[]string{"status", "--check"}, exitBlind, "NO RUNS are recorded here · monitor looked "},
		{[]string{"status", "--json"}, exitFine, `{"schema":1,`},
	} {
		out, errOut, code := called(t, append([]string{"--db", db}, row.args...)...)
		if code != row.want || !strings.HasPrefix(out, row.says) || errOut != "" {
			t.Errorf("%q = %d, %q, %q; want %d, %q", row.args, code, out, errOut, row.want, row.says)
		}
	}
}
