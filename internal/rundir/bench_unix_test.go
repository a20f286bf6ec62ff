//go:build unix

package rundir

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

// BenchmarkStatus is what status pays for a root of 10,000 directories, nearly
// all of which are over.
func BenchmarkStatus(b *testing.B) {
	root := filepath.Join(b.TempDir(), "root")
	me, err := presence.Self()
	must(b, err)
	for i := range 10_000 {
		d, err := Create(root, fmt.Sprintf("r%05d", i))
		must(b, err)
		line, err := lineOf(PID{Identity: me, Epoch: 1})
		must(b, err)
		write(b, d.File(PIDFile), string(line))
		write(b, d.File(LogFile), "x")
		if i >= 10 {
			write(b, d.File(ExitFile), `{"code":0,"epoch":1}`)
		}
		must(b, d.Close())
	}
	l := Look{
		Clock: cursor.NewClock(cursor.ClockState{}, cursor.Instant{Wall: time.Now(), Mono: time.Hour, Boot: "b"}, 0),
		Grace: time.Second, Once: true, Prober: presence.System,
	}
	b.ResetTimer()
	for b.Loop() {
		over := 0
		for _, entry := range List([]string{root}) {
			r, err := OpenReader(root, entry.Run)
			must(b, err)
			e := r.Evidence(1, l, new(Memory))
			must(b, r.Close())
			if e.Exit.Known {
				over++
			}
		}
		if over != 9990 {
			b.Fatalf("%d are over, want 9990", over)
		}
	}
}
