// Package progmon holds the files that progmon demo needs where there is no
// checkout: two real workers, and texts for them to count. The program is
// cmd/progmon, and the package for workers in Go is store.
package progmon

import "embed"

// Files has testdata/corpus and the scripts of testdata/workers, under those
// names.
//
//go:embed testdata/corpus/*.txt testdata/workers/worker.py testdata/workers/worker.sh
var Files embed.FS
