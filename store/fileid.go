package store

import (
	"io/fs"
	"os"
)

// fileID says which file lies under a path, by stat alone.
type fileID struct {
	dev, ino uint64
	names    int         // how many it has (hard links); 0: unknown
	info     fs.FileInfo // where numbers say nothing
}

// same reports whether two ids are of one file.
func (f fileID) same(g fileID) bool {
	if f.info != nil && g.info != nil {
		return os.SameFile(f.info, g.info)
	}
	return f.dev == g.dev && f.ino == g.ino
}
