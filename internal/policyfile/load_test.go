package policyfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyARegularFileIsRead(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, []byte("#"+strings.Repeat(" ", MaxSize)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ claim, path, want string }{
		{"a directory", dir, "this is a directory"},
		{"a device without an end", os.DevNull, "no regular file"},
		{"a file that is not there", filepath.Join(dir, "none"), "no such file"},
		{"a file that is too large", large, "larger than"},
		{"no name", "", "a policy file has a name"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			f, err := Load(c.path)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Load(%q) = %v, %v, want an error with %q", c.path, f, err, c.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("Load(%q): %T, want an *Error", c.path, err)
			}
		})
	}
}

func TestAFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(path, []byte("[family.x]\nhold_cap = \"1h\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Load(path)
	if err != nil || f.Path != path || strings.Join(f.Families(), " ") != "x" {
		t.Errorf("Load = %+v, %v", f, err)
	}
}
