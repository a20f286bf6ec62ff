package rundir

import (
	"io/fs"
	"os"
	"time"
)

// growth is what was last seen of a log, to tell whether it was written to.
type growth struct {
	seen bool
	info fs.FileInfo // nil: there was no log
}

// look compares a log with what was seen of it before. bytes is how much was
// written since, at the least: a log that is shorter, or another file, was
// begun anew. changed is set by a new stamp too, whichever way it moved. The
// first look has nothing to compare with and says that nothing happened.
func (g *growth) look(info fs.FileInfo) (bytes int64, changed bool) {
	before := *g
	g.seen, g.info = true, info
	switch {
	case !before.seen || info == nil:
		return 0, false
	case before.info == nil || !os.SameFile(before.info, info) || info.Size() < before.info.Size():
		return info.Size(), true
	}
	return info.Size() - before.info.Size(),
		info.Size() != before.info.Size() || !info.ModTime().Equal(before.info.ModTime())
}

// ageOf is how long ago a file was stamped, by the wall clock, but never below
// 0 and never more than most when that is known: stamps lie.
func ageOf(stamp, now time.Time, most time.Duration, known bool) time.Duration {
	age := max(now.Sub(stamp), 0)
	if known {
		age = min(age, most)
	}
	return age
}
