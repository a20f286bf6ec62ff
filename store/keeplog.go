package store

// keepLog has SQLite leave the write-ahead log where it is, empty, when this
// connection is the last to close. It is written back into the database first,
// as always. Deleting the file and making it anew costs a process that does
// one step, and is alone on the trail, a twentieth of its time on a quiet disk
// and a tenth on a busy one; and a reader that may not write in the directory
// needs the file to be there.
func (c *conn) keepLog() {
	keeper, ok := c.raw.(interface {
		FileControlPersistWAL(db string, mode int) (int, error)
	})
	if !ok {
		return
	}
	// What fails here fails nobody: the log is deleted then.
	if _, err := keeper.FileControlPersistWAL("main", 1); err == nil {
		_ = c.plain("PRAGMA journal_size_limit = 0")
	}
}
