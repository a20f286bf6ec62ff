//go:build unix

package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestGrowth(t *testing.T) {
	name := filepath.Join(t.TempDir(), LogFile)
	stamp := time.Now().Add(-time.Hour).Truncate(time.Second)
	tick := func() { stamp = stamp.Add(time.Second); must(t, os.Chtimes(name, stamp, stamp)) }
	var g growth
	for _, step := range []struct {
		claim   string
		act     func()
		bytes   int64
		changed bool
	}{
		{"no log at the first look", func() {}, 0, false},
		{"still none", func() {}, 0, false},
		{"a log appears", func() { write(t, name, "12345"); tick() }, 5, true},
		{"nothing happens", func() {}, 0, false},
		{"it grows", func() { write(t, name, "12345678"); tick() }, 3, true},
		{"it is written over in place", func() { write(t, name, "abcdefgh"); tick() }, 0, true},
		{"it is stamped in the past", func() { stamp = stamp.Add(-24 * time.Hour); tick() }, 0, true},
		{"it is cut to nothing", func() { must(t, os.Truncate(name, 0)); tick() }, 0, true},
		{"and written to again", func() { write(t, name, "1"); tick() }, 1, true},
		{"it is rotated, the new one larger", func() {
			must(t, os.Rename(name, name+".1"))
			write(t, name, "123")
			tick()
		}, 3, true},
		{"it is rotated, the new one smaller", func() {
			must(t, os.Rename(name, name+".1"))
			write(t, name, "12")
			must(t, os.Chtimes(name, stamp, stamp))
		}, 2, true},
		{"it is taken away", func() { must(t, os.Remove(name)) }, 0, false},
		{"and comes back", func() { write(t, name, "1234"); tick() }, 4, true},
	} {
		step.act()
		info, err := os.Lstat(name)
		if err != nil {
			info = nil
		}
		bytes, changed := g.look(info)
		if bytes != step.bytes || changed != step.changed {
			t.Errorf("%s: look = %d, %v, want %d, %v", step.claim, bytes, changed, step.bytes, step.changed)
		}
	}

	g = growth{}
	info, err := os.Lstat(name)
	must(t, err)
	if bytes, changed := g.look(info); bytes != 0 || changed {
		t.Errorf("a log that was there at the first look: %d, %v, want nothing", bytes, changed)
	}
}
