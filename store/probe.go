package store

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
)

// probe says whether the file under abs, whose real name is real, is a trail,
// without a trace: SQLite makes -wal and -shm beside every database that has a
// write-ahead log, whatever is in it, and one that only reads cannot take them
// away again. Without a log the file alone is the truth, and is read as one
// that nobody changes. It returns nil where there is a log, or where the file
// changed meanwhile: that is for the opening to find out.
func probe(abs, real string, o options) error {
	before, err := o.stat(real)
	if err != nil {
		return notThere(err)
	}
	if cutShort(real + "-journal") {
		return &BlindError{BlindEmpty, "whoever made it was ended before anything was in it"}
	}
	if !alone(real, o) {
		return nil
	}
	err = read(real, o)
	if err == nil {
		return nil
	}
	after, gone := o.stat(real)
	if gone != nil || !alone(real, o) || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return nil
	}
	return blindly(abs, o, err)
}

// read reads what the file is, and what every look reads first.
func read(real string, o options) error {
	c, err := connect(real, dataSource(real, "ro", "query_only(1)", "temp_store(MEMORY)")+"&immutable=1")
	if err != nil {
		return err
	}
	is, err := standingOf(c.ask)
	if err == nil {
		err = is.blind()
	}
	if err == nil {
		err = c.peek("recall", func([]value) error { return nil })
	}
	return or(err, c.close())
}

// alone reports whether nothing that belongs to the file lies beside it.
func alone(real string, o options) bool {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := o.stat(real + suffix); err == nil && info.Size() > 0 {
			return false
		}
	}
	return true
}

// cutShort reports whether the file is the journal of a database of no pages:
// its maker was killed at the first write, and the next writer takes that back.
func cutShort(journal string) bool {
	f, err := os.Open(journal) // SQLite holds no lock on it
	if err != nil {
		return false
	}
	defer f.Close()
	// The magic number, how many pages are kept, a nonce, how many there were.
	var head [20]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	return bytes.HasPrefix(head[:], []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")) && binary.BigEndian.Uint32(head[16:]) == 0
}
