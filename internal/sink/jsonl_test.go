package sink

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestJSONLAppends(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	j := &jsonl{path: path}
	send := func() {
		t.Helper()
		if _, err := j.Send(ctx, sampleMessage()); err != nil {
			t.Fatal(err)
		}
	}
	lines := func(path string) []string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	send()
	send()
	if got := lines(path); len(got) != 2 || got[0] != got[1] {
		t.Errorf("two messages are %d lines", len(got))
	}
	var m Message
	if err := json.Unmarshal([]byte(lines(path)[0]), &m); err != nil || m.Run != "nightly" || m.ID != "progmon-aa-9" {
		t.Errorf("the line reads as %+v, %v", m, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v, want 0600", info.Mode(), err)
	}
	// Rotated away: the next line begins a new file, and the old one is left alone.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	send()
	if got, old := len(lines(path)), len(lines(path+".1")); got != 1 || old != 2 {
		t.Errorf("after the rotation there are %d and %d lines, want 1 and 2", got, old)
	}
	// A piece that was left behind does not spoil what follows.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"schema":1,"id":"half`)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	send()
	if got := lines(path); len(got) != 3 || !json.Valid([]byte(got[2])) {
		t.Errorf("after half a line there are %q", got)
	}
}

func TestJSONLWritesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none", "out.jsonl"), os.DevNull} {
		j := &jsonl{path: path}
		if _, err := j.Send(context.Background(), sampleMessage()); err == nil {
			t.Errorf("Send() to %q is no error", path)
		}
	}
}
