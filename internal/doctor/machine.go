package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// What is little room on a disk: of bytes, and of all files that it can have in
// parts of a hundred.
const (
	noRoom     = 16 << 20
	littleRoom = 256 << 20
)

// disk says how much room there is.
func (v *Visit) disk(ctx context.Context) {
	var free, files, freeFiles uint64
	var err error
	if !v.within(ctx, func() { free, files, freeFiles, err = room(existing(v.Path)) }) || err != nil {
		return // the check of the file system says so
	}
	text := fmt.Sprintf("%d MB are free where the trail is", free>>20)
	switch {
	case free < noRoom:
		v.add("disk", Bad, text, "make room: steps cannot be recorded on a full disk")
	case free < littleRoom:
		v.add("disk", Warn, text, "make room, before steps cannot be recorded")
	default:
		v.add("disk", Fine, text, "")
	}
	if files > 0 && freeFiles*100 < files {
		v.add("disk", Warn, "nearly no files can be made any more (inodes)", "delete files: run directories make many")
	}
}

// clock says whether the clock can be believed.
func (v *Visit) clock(ctx context.Context, r *store.Reader) {
	now := v.Now()
	switch {
	case now.Year() < 2025:
		v.add("clock", Bad, "it says "+now.UTC().Format(time.RFC3339), "set it; verdicts do not rest on it, stamps do")
	case unsynchronised():
		v.add("clock", Note, "it says "+now.UTC().Format(time.RFC3339)+", and the kernel does not know it synchronised", "run an NTP client; verdicts do not rest on it, stamps do")
	default:
		v.add("clock", Fine, now.UTC().Format(time.RFC3339), "")
	}
	if r == nil {
		return
	}
	if s, err := r.Settings(ctx); err == nil && s.Latest.After(now.Add(time.Minute)) {
		v.add("clock", Warn, "the newest row of the log is stamped "+policy.About(s.Latest.Sub(now))+" from now", "the clock was set back, or another writer's is ahead: only stamps are wrong, verdicts are not")
	}
}

// goodSQLite is the first version without a race in the write-ahead log that can
// lose commits of any process on the file.
var goodSQLite = [3]int{3, 51, 3}

// libraries says which other SQLite libraries are about, that a worker may use.
func (v *Visit) libraries(ctx context.Context) {
	for _, tool := range []struct {
		name string
		argv []string
	}{
		{"the sqlite3 shell", []string{"sqlite3", "--version"}},
		{"Python's sqlite3", []string{"python3", "-c", "import sqlite3; print(sqlite3.sqlite_version)"}},
	} {
		if _, err := exec.LookPath(tool.argv[0]); err != nil {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, v.Patience)
		cmd := exec.CommandContext(ctx, tool.argv[0], tool.argv[1:]...)
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		cancel()
		version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		n, known := versionOf(version)
		if err != nil || !known {
			continue
		}
		if before(n, goodSQLite) {
			v.add("sqlite", Note, tool.name+" is "+version+", which has a rare race that can lose commits of others on the same file (mended in 3.51.3)",
				"read with it; let workers write by progmon, or by a newer library")
		} else {
			v.add("sqlite", Fine, tool.name+" is "+version, "")
		}
	}
}

func versionOf(text string) (n [3]int, ok bool) {
	parts := strings.Split(text, ".")
	for i := range n {
		if i >= len(parts) {
			return n, i > 1
		}
		var err error
		if n[i], err = strconv.Atoi(parts[i]); err != nil {
			return n, false
		}
	}
	return n, true
}

func before(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
