package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestATrailIsMadeWholeOrNotAtAll: whoever makes a trail may be killed at any
// instant. Each state that leaves in the files, down to half a page of the log,
// is empty to a reader, or of an older schema, until the schema is there as a
// whole, and is completed by the next writer.
func TestATrailIsMadeWholeOrNotAtAll(t *testing.T) {
	file, log := makingOf(t)
	const head, frameHead = 32, 24
	page := int(binary.BigEndian.Uint32(log[8:]))
	var cuts []int // where the log may end
	commits := 0
	for at := head; at < len(log); at += frameHead + page {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 { // a frame that commits
			commits++
			cuts = append(cuts, at, at+frameHead+page/2, at+frameHead+page)
		}
	}
	if commits < 2 || cuts[len(cuts)-1] != len(log) {
		t.Fatalf("the schema took %d commits in a log of %d bytes, the last at %v", commits, len(log), cuts)
	}
	type state struct {
		claim              string
		file, log, journal []byte
		whole              bool
	}
	states := []state{
		{claim: "no byte"},
		{claim: "a log without bytes", file: file, log: []byte{}},
		{claim: "the head of a log", file: file, log: log[:head]},
		{claim: "half the head of a log", file: file, log: log[:head/2]},
		{claim: "the first page, and not for sure", file: file, journal: journalOfNothing(page)},
	}
	for _, at := range cuts {
		states = append(states, state{claim: "a part of the log", file: file, log: log[:at], whole: at == len(log)})
	}
	for _, s := range states {
		path := filepath.Join(t.TempDir(), "trail.db")
		for suffix, content := range map[string][]byte{"": s.file, "-wal": s.log, "-journal": s.journal} {
			if content == nil && suffix != "" {
				continue
			}
			if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := OpenReader(t.Context(), path)
		if blind, ok := asBlind(err); s.whole && err != nil || !s.whole && (!ok || blind.Reason != BlindEmpty && blind.Reason != BlindOlder) {
			t.Errorf("%s (%d bytes of %d): OpenReader() = %v, want whole: %v, else empty or older", s.claim, len(s.log), len(log), err, s.whole)
		}
		if err == nil {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		w, opened := Open(t.Context(), path)
		if opened != nil {
			t.Errorf("%s (%d bytes of %d): Open() = %v", s.claim, len(s.log), len(log), opened)
			continue
		}
		found, verified := w.Verify(t.Context())
		if err := errors.Join(verified, w.Close()); err != nil || found.Found > 0 {
			t.Errorf("%s (%d bytes of %d): what was completed: %+v, %v", s.claim, len(s.log), len(log), found, err)
		}
	}
}

// makingOf gives the file and the log as they are before anything of a new
// trail is written back into the file.
func makingOf(t *testing.T) (file, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trail.db")
	db, err := sql.Open("sqlite", dataSource(path, "rwc", "wal_autocheckpoint(0)"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if err := migrate(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path); err == nil {
		log, err = os.ReadFile(path + "-wal")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return file, log
}

// journalOfNothing is what lies beside a database while its very first page is
// written.
func journalOfNothing(page int) []byte {
	j := make([]byte, 512)
	copy(j, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
	binary.BigEndian.PutUint32(j[20:], uint32(len(j)))
	binary.BigEndian.PutUint32(j[24:], uint32(page))
	return j
}
