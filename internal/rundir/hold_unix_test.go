//go:build unix

package rundir

import (
	"errors"
	"testing"
)

// A directory is one wrapper's at a time, and free when that one lets go.
func TestADirectoryIsHeldByOne(t *testing.T) {
	root := t.TempDir()
	first, err := Create(root, "r")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Hold(), first.Hold()); err != nil {
		t.Fatalf("Hold, twice = %v", err)
	}
	second, err := Open(root, "r")
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := second.Hold(); !errors.Is(err, ErrHeld) {
		t.Errorf("Hold by another = %v, want ErrHeld", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.Hold(); err != nil {
		t.Errorf("Hold after it was let go = %v", err)
	}
}
