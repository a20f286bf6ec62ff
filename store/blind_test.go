package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// blindness is the reason of a *store.BlindError, or what else err is.
func blindness(err error) string {
	var blind *store.BlindError
	switch {
	case errors.As(err, &blind):
		return blind.Reason
	case err == nil:
		return "sighted"
	}
	return err.Error()
}

// listing is what a directory holds, names and sizes.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // a directory that may not be read
		}
		name := filepath.Base(path)
		if strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			return nil
		}
		b.WriteString(name)
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			body, _ := os.ReadFile(path)
			b.WriteString(" " + info.Mode().String() + " ")
			b.Write(body)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// change changes a database, and leaves nothing of that open.
func change(t testing.TB, path, statements string) {
	t.Helper()
	db := hostile(t, path)
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// namesIn are the names in a directory, SQLite's own too.
func namesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// barely takes away what is beside a database that nobody has open.
func barely(t testing.TB, path string) string {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm", "-lock"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return path
}

// TestBlind: everything that cannot be read has its reason, and neither a
// reader nor a writer touches it.
func TestBlind(t *testing.T) {
	for _, c := range []struct {
		claim, want string
		writer      string // what Open says, if it does not say the same
		lay         func(t *testing.T, dir string) (path string)
	}{
		{"no file", store.BlindMissing, "sighted", func(t *testing.T, dir string) string { return filepath.Join(dir, "none.db") }},
		{"no directory", store.BlindMissing, "sighted", func(t *testing.T, dir string) string { return filepath.Join(dir, "sub", "none.db") }},
		{"a file for a directory", store.BlindMissing, "cannot create", func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "file"), "x")
			return filepath.Join(dir, "file", "none.db")
		}},
		{"an empty file", store.BlindEmpty, "sighted", func(t *testing.T, dir string) string { return put(t, filepath.Join(dir, "t.db"), "") }},
		{"a log whose trail was moved away", store.BlindMissing, "destroy what is in it", func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "t.db-wal"), "steps")
			return filepath.Join(dir, "t.db")
		}},
		{"a log beside an empty file", store.BlindEmpty, "destroy what is in it", func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "t.db-wal"), "steps")
			return put(t, filepath.Join(dir, "t.db"), "")
		}},
		{"text", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			return put(t, filepath.Join(dir, "t.db"), strings.Repeat("all work and no play\n", 100))
		}},
		{"garbage", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			return put(t, filepath.Join(dir, "t.db"), strings.Repeat("\x00\xff\x07", 4000))
		}},
		{"a few bytes", store.BlindNotATrail, "", func(t *testing.T, dir string) string { return put(t, filepath.Join(dir, "t.db"), "SQLite") }},
		{"a directory", store.BlindNotATrail, "", func(t *testing.T, dir string) string { return dir }},
		{"a device", store.BlindNotATrail, "", func(t *testing.T, dir string) string { return os.DevNull }},
		{"another program's database", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `CREATE TABLE cookies (a); PRAGMA application_id = 7`)
			return path
		}},
		{"another program's database without an id", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `CREATE TABLE cookies (a)`)
			return path
		}},
		{"another program's database with a log", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `PRAGMA journal_mode = WAL; CREATE TABLE cookies (a)`)
			return barely(t, path)
		}},
		{"another program's database that goose has migrated", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `PRAGMA journal_mode = WAL; CREATE TABLE goose_db_version (version_id, is_applied); INSERT INTO goose_db_version VALUES (0, 1), (4, 1)`)
			return barely(t, path)
		}},
		{"a database without tables", store.BlindEmpty, "sighted", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `PRAGMA journal_mode = WAL`)
			return barely(t, path)
		}},
		{"an older schema that no migration brings forward", store.BlindOlder, "", func(t *testing.T, dir string) string {
			path := trail(t)
			change(t, path, `PRAGMA user_version = 0`)
			return barely(t, path)
		}},
		{"goose's row of a newer schema", store.BlindNewer, "", func(t *testing.T, dir string) string {
			path := trail(t)
			change(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`)
			return barely(t, path)
		}},
		{"one of two names", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := trail(t)
			if err := os.Link(path, filepath.Join(dir, "t.db")); err != nil {
				t.Fatal(err)
			}
			return barely(t, path)
		}},
		{"a link to itself", store.BlindNotATrail, "leads back to itself", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			if err := os.Symlink("t.db", path); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		{"a link to nothing", store.BlindMissing, "which is not there", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			if err := os.Symlink("none.db", path); err != nil {
				t.Fatal(err)
			}
			return path
		}},
		{"another program's database in the middle of a write", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `PRAGMA user_version = 3`)
			journal := make([]byte, 512)
			copy(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x02\x00\x00\x00\x10\x00")
			put(t, path+"-journal", string(journal))
			return path
		}},
		{"another program's database with a version", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `PRAGMA user_version = 3`)
			return path
		}},
		{"our id and nothing else", store.BlindNotATrail, "", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "t.db")
			change(t, path, `CREATE TABLE x (a); PRAGMA application_id = 1886545773; PRAGMA user_version = 1`)
			return path
		}},
		{"a newer schema", store.BlindNewer, "", func(t *testing.T, dir string) string {
			path := trail(t)
			change(t, path, `PRAGMA user_version = 99`)
			return barely(t, path)
		}},
		{"a page of zeros", store.BlindCorrupt, "", func(t *testing.T, dir string) string {
			path := trail(t)
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(body[200:4096], make([]byte, 4096))
			return barely(t, put(t, path, string(body)))
		}},
		{"cut short", store.BlindCorrupt, "", func(t *testing.T, dir string) string {
			path := trail(t)
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return barely(t, put(t, path, string(body[:8192])))
		}},
		{"zeros behind its first page", store.BlindCorrupt, "", func(t *testing.T, dir string) string {
			path := trail(t)
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return barely(t, put(t, path, string(body[:4096])+strings.Repeat("\x00", len(body)-4096)))
		}},
	} {
		t.Run(c.claim, func(t *testing.T) {
			dir := t.TempDir()
			path := c.lay(t, dir)
			if path != dir && path != os.DevNull && strings.HasPrefix(path, filepath.Dir(dir)) {
				dir = filepath.Dir(path)
			}
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				dir = filepath.Dir(dir)
			}
			before, names := listing(t, dir), namesIn(t, dir)
			r, err := store.OpenReader(context.Background(), path)
			if got := blindness(err); got != c.want {
				t.Errorf("OpenReader() = %q (%v), want %q", got, err, c.want)
			}
			if r != nil {
				t.Cleanup(func() { r.Close() })
			}
			if after := listing(t, dir); after != before {
				t.Errorf("a reader changed\n%q\nto\n%q", before, after)
			}
			if after := namesIn(t, dir); !slices.Equal(after, names) {
				t.Errorf("a reader made of %q\n%q", names, after)
			}
			want := c.want
			if c.writer != "" {
				want = c.writer
			}
			s, err := store.Open(context.Background(), path)
			if got := blindness(err); !strings.Contains(got, want) {
				t.Errorf("Open() = %q (%v), want %q", got, err, want)
			}
			if err == nil {
				storetest.Verify(t, s.Reader)
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrCannotCreate) {
				t.Errorf("Open() = %v, want ErrUnavailable or ErrCannotCreate", err)
			}
			// Until its tables are asked for, what has our id is a trail; and an
			// older one is brought forward in line.
			if strings.Contains(listing(t, dir), "-lock") && c.claim != "our id and nothing else" && c.want != store.BlindOlder {
				t.Error("a writer that was refused left a lock behind")
			}
		})
	}
}

// put writes a file.
func put(t testing.TB, path, body string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLocked: a process that holds the file and lets nobody read is told from
// silence within the deadline, and sight returns when it lets go.
func TestLocked(t *testing.T) {
	path := trail(t)
	end := beside(t, "lock", path)
	began := time.Now()
	_, err := store.OpenReader(context.Background(), path, store.WithBusyTimeout(100*time.Millisecond))
	if got := blindness(err); got != store.BlindLocked {
		t.Errorf("OpenReader() = %q (%v), want locked", got, err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("that took %v", took)
	}
	if _, err := store.Open(context.Background(), path, store.WithBusyTimeout(100*time.Millisecond)); blindness(err) != store.BlindLocked {
		t.Errorf("Open() = %v, want locked", err)
	}
	end()
	r, err := store.OpenReader(context.Background(), path)
	if err != nil {
		t.Fatalf("OpenReader() = %v after the lock was let go", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestReplaced is field case 15: a file that is deleted or replaced while it is
// open is blind at the next look, its writes fail loudly, nothing is made in
// its place, and sight returns with the right file.
func TestReplaced(t *testing.T) {
	ctx := context.Background()
	aside := func(t *testing.T, path string) (back func()) {
		t.Helper()
		names := []string{"", "-wal", "-shm"}
		for _, n := range names {
			if err := os.Rename(path+n, path+".aside"+n); err != nil {
				t.Fatal(err)
			}
		}
		return func() {
			for _, n := range names {
				os.RemoveAll(path + n)
				if err := os.Rename(path+".aside"+n, path+n); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct {
		claim   string
		replace func(t *testing.T, path string)
		detail  string // "": any
	}{
		{"deleted", func(t *testing.T, path string) {}, ""},
		{"replaced by a directory", func(t *testing.T, path string) {
			if err := os.MkdirAll(filepath.Join(path, "in it"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "it is a directory, and was a file when it was opened"},
		{"replaced by another trail", func(t *testing.T, path string) {
			body, err := os.ReadFile(trail(t))
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, string(body))
		}, ""},
		{"replaced by garbage", func(t *testing.T, path string) { put(t, path, "garbage") }, ""},
	} {
		t.Run(c.claim, func(t *testing.T) {
			path := trail(t)
			s := storetest.OpenAt(t, path)
			run := s.Run("r", 1)
			if _, err := run.Complete(ctx, store.Pos(1)); err != nil {
				t.Fatal(err)
			}
			r, err := store.OpenReader(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.Check(ctx); err != nil {
				t.Fatalf("Check() = %v of a healthy trail", err)
			}
			back := aside(t, path)
			c.replace(t, path)
			before := listing(t, filepath.Dir(path))
			_, err = run.Complete(ctx, store.Pos(2))
			if blindness(err) != store.BlindReplaced || !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Complete() = %v, want replaced", err)
			}
			if err := r.Check(ctx); err == nil || !strings.Contains(err.Error(), c.detail) {
				t.Errorf("Check() = %v, want %q", err, c.detail)
			}
			for look := range 3 {
				if got := blindness(r.Check(ctx)); got != store.BlindReplaced {
					t.Errorf("Check() at look %d = %q, want replaced", look+1, got)
				}
			}
			if after := listing(t, filepath.Dir(path)); after != before {
				t.Errorf("looking changed %q to %q", before, after)
			}
			back()
			within(t, 5*time.Second, "sight returns", func() bool { return r.Check(ctx) == nil })
			if _, err := run.Complete(ctx, store.Pos(2)); err != nil {
				t.Errorf("Complete() = %v with the right file back", err)
			}
			live, err := r.Live(ctx)
			if err != nil || len(live) != 1 {
				t.Errorf("Live() = %q, %v", live, err)
			}
			storetest.Verify(t, r)
		})
	}
}

// TestAnOlderCopyIsNotTheTrail: a backup moved over the trail is one trail by
// name, but it has lost what was seen.
func TestAnOlderCopyIsNotTheTrail(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	backup, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path)
	if _, err := s.Run("r", 1).Complete(ctx, store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	put(t, path+".backup", string(backup))
	if err := os.Rename(path+".backup", path); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + n); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		if got := blindness(r.Check(ctx)); got != store.BlindReplaced {
			t.Errorf("Check() = %q, want replaced", got)
		}
	}
}

// TestALostLogIsFound: without its write-ahead log a connection sees a picture
// that never changes, and writes where nobody reads.
func TestALostLogIsFound(t *testing.T) {
	ctx := context.Background()
	path := trail(t)
	s := storetest.OpenAt(t, path)
	run := s.Run("r", 1)
	if _, err := run.Complete(ctx, store.Pos(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Complete(ctx, store.Pos(2)); blindness(err) != store.BlindReplaced {
		t.Errorf("Complete() = %v, want replaced", err)
	}
	if got := blindness(s.Check(ctx)); got != store.BlindReplaced {
		t.Errorf("Check() = %q, want replaced", got)
	}
}

// TestAReaderChangesNoByte: looking leaves the database file as it is.
func TestAReaderChangesNoByte(t *testing.T) {
	path := trail(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.OpenReader(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Verify(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("reading changed the file")
	}
}
