//go:build unix

package supervise

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/progmon/progmon/internal/rundir"
)

// shared is a buffer that one goroutine writes and another reads.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// A log that is put aside, or cut, is followed from the beginning of what is
// there now, until the run has ended.
func TestFollowRotationAndTruncation(t *testing.T) {
	d, err := rundir.Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	name := d.File(rundir.LogFile)
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\nthree\n")
	var out shared
	place, err := Tail(&d.Reader, 2, &out)
	if err != nil || out.String() != "two\nthree\n" {
		t.Fatalf("Tail = %q, %v", out.String(), err)
	}
	done := make(chan error, 1)
	go func() { done <- Follow(t.Context(), &d.Reader, place, &out) }()
	wants := func(text string) {
		t.Helper()
		eventually(t, text, func() bool { return strings.HasSuffix(out.String(), text) })
	}
	write("four\n")
	wants("four\n")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	write("a new file\n")
	wants("four\na new file\n")
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	write("cut\n")
	wants("a new file\ncut\n")
	if err := d.WriteExit(rundir.Exit{Epoch: 1}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestLastLines(t *testing.T) {
	for _, row := range []struct {
		text  string
		lines int
		want  string
	}{
		{"", 3, ""}, {"a", 1, "a"}, {"a\n", 1, "a\n"}, {"a\nb", 1, "b"}, {"a\nb\n", 1, "b\n"}, {"a\nb\n", 2, "a\nb\n"},
		{"a\nb\n", 9, "a\nb\n"}, {"a\nb\n", 0, ""}, {"\n\n\n", 2, "\n\n"},
	} {
		if got := string(lastLines([]byte(row.text), row.lines)); got != row.want {
			t.Errorf("lastLines(%q, %d) = %q, want %q", row.text, row.lines, got, row.want)
		}
	}
}
