package store

// FileSystem names the kind of file system that path lies on, empty where it is
// not known, and says whether it is one of a network, on which no trail is safe.
func FileSystem(path string) (kind string, network bool) {
	if kind := networkFS(path); kind != "" {
		return kind, true
	}
	return localFS(path), false
}
