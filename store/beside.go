package store

// beside is what SQLite keeps beside a database that is open: the write-ahead
// log, and the index of it that the processes share. Whoever goes on with one
// that was deleted is alone with it: others begin a new log, or write at the
// places of the same one that this process takes for free, and steps that were
// acknowledged are overwritten.
type beside struct {
	log, index companion
}

// companion is one of the two.
type companion struct {
	what, path string
	id         fileID
	known      bool
}

// besideOf names what lies beside the file of that real name.
func besideOf(real string) beside {
	return beside{
		log:   companion{what: "the write-ahead log", path: real + "-wal"},
		index: companion{what: "the index of the write-ahead log", path: real + "-shm"},
	}
}

// meet takes what lies there now for what is open.
func (b *beside) meet(find func(string) (fileID, error)) {
	for _, c := range [...]*companion{&b.log, &b.index} {
		if !c.known {
			id, err := find(c.path)
			c.id, c.known = id, err == nil
		}
	}
}

// same finds what is open still in place, by stat alone.
func (b *beside) same(find func(string) (fileID, error)) error {
	for _, c := range [...]*companion{&b.log, &b.index} {
		if id, err := find(c.path); c.known && (err != nil || !c.id.same(id)) {
			return &BlindError{BlindReplaced, c.what + " " + c.path + " was deleted or replaced while it was open"}
		}
	}
	return nil
}

// superseded reports whether others have made an index anew: what this process
// knows of the log may not be true any more.
func (b *beside) superseded(find func(string) (fileID, error)) bool {
	id, err := find(b.index.path)
	return err == nil && b.index.known && !b.index.id.same(id)
}

// leave closes a connection to a log that others have made an index of anew.
// The last to close writes the log back and empties it, by its own index, and
// would undo what the others wrote since. SQLite spares that to a connection
// that is not the last, so another one that only reads, and could not, closes
// after it.
func (c *conn) leave(reads string) error {
	last, err := connect(c.path, reads)
	if err != nil {
		return or(c.close(), err)
	}
	// What it reads is of no interest: from then on it counts.
	_, _ = last.ask("SELECT count(*) FROM sqlite_schema")
	return or(c.close(), last.close())
}
