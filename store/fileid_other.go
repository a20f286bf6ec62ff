//go:build !linux

package store

import "os"

// findFile identifies the file under path.
func findFile(path string) (fileID, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileID{}, err
	}
	return fileID{info: info, names: names(info)}, nil
}
