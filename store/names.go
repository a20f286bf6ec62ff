package store

// ValidRun reports whether id can be the id of a run: 1 to 64 bytes out of
// a-z 0-9 . _ -, the first of them a letter or digit. A family is written
// likewise. Whoever makes a path of an id asks this first.
func ValidRun(id string) bool { return validRun(id) }
