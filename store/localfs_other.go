//go:build !linux

package store

// localFS cannot tell on this platform.
func localFS(string) string { return "" }
