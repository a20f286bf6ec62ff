package rundir

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/progmon/progmon/cursor"
)

// Entry is one directory of a root, or a root that cannot be read.
type Entry struct {
	Root string // as it was given
	// Run is the id, or where Blind says that the name can be none, the name
	// escaped for printing. It is empty for a root that cannot be read.
	Run   string
	Blind cursor.Blindness
}

// maxRuns is the most directories of a root that are listed.
const maxRuns = 100_000

// List names the runs that have a directory under the roots, by root and then
// by name. Nothing is opened but the roots. Directories whose name can be no
// id are listed blind, and so are roots that cannot be read: what is not seen
// is said. Files are passed over, and links too, unless they lead out of the
// root: those are blind. A root that was given twice is listed once.
//
// It waits as long as the file system does; who has a deadline calls it aside.
func List(roots []string) []Entry {
	var all []Entry
	var seen []fs.FileInfo
	for _, root := range roots {
		info, err := os.Stat(root)
		if err == nil && slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s: %w: %s", root, ErrNotOurs, kindOf(info.Mode()))
		}
		var entries []Entry
		if err == nil {
			seen = append(seen, info)
			entries, err = listRoot(root)
		}
		if err != nil {
			all = append(all, Entry{Root: root, Blind: BlindnessOf(err)})
		}
		slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Run, b.Run) })
		all = append(all, entries...)
	}
	return all
}

// listRoot returns what it has read along with an error.
func listRoot(root string) (entries []Entry, err error) {
	f, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for {
		batch, err := f.ReadDir(1024)
		for _, e := range batch {
			if len(entries) == maxRuns {
				return entries, fmt.Errorf("%s: %w: it holds more than %d directories", root, ErrNotOurs, maxRuns)
			}
			if entry, ok := entryOf(root, e); ok {
				entries = append(entries, entry)
			}
		}
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return entries, err
		}
	}
}

func entryOf(root string, e fs.DirEntry) (Entry, bool) {
	entry := Entry{Root: root, Run: escape(e.Name())}
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		to, err := os.Readlink(filepath.Join(root, e.Name()))
		if err != nil || !strings.ContainsRune(to, filepath.Separator) {
			return Entry{}, false // a second name in the same root, as "latest"
		}
		if info, err := os.Stat(filepath.Join(root, e.Name())); err != nil || !info.IsDir() {
			return Entry{}, false
		}
		entry.Blind = cursor.Blindness{Reason: "not-a-trail", Detail: "a symbolic link out of the root is not followed: " + escape(to)}
	case !e.IsDir():
		return Entry{}, false
	case !cursor.ValidName(e.Name()):
		entry.Blind = BlindnessOf(ValidID(e.Name()))
	}
	return entry, true
}
