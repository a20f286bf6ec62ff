//go:build !unix

package store

import "os"

// On this platform writers are served as SQLite's busy handler does.
func tryLock(*os.File) (free, known bool) { return false, false }
func waitLock(*os.File)                   {}
func unlock(*os.File)                     {}
