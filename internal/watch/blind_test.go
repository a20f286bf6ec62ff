package watch_test

import (
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "modernc.org/sqlite" // the driver, to spoil files with

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// spoil runs statements on the database as another program would.
func spoil(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// picture is a directory with the bytes of its files.
func picture(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files[e.Name()] = e.Type().String()
		if e.Type().IsRegular() {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(b)
		}
	}
	return files
}

func trail(t *testing.T, path string) {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestWhatCannotBeReadIsBlind: a look says why, and leaves everything as it is.
func TestWhatCannotBeReadIsBlind(t *testing.T) {
	write := func(content string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		name, want string
		lay        func(t *testing.T, path string)
	}{
		{"nothing is there", store.BlindMissing, func(*testing.T, string) {}},
		{"an empty file", store.BlindEmpty, write("")},
		{"garbage", store.BlindNotATrail, write(strings.Repeat("this is no database\n", 500))},
		{"a short text", store.BlindNotATrail, write("hello\n")},
		{"a directory", store.BlindNotATrail, func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"another program's database", store.BlindNotATrail, func(t *testing.T, path string) {
			spoil(t, path, "CREATE TABLE bookmark (url TEXT)")
		}},
		{"a newer schema", store.BlindNewer, func(t *testing.T, path string) {
			trail(t, path)
			spoil(t, path, "PRAGMA user_version = 999")
		}},
		{"an older schema", store.BlindOlder, func(t *testing.T, path string) {
			trail(t, path)
			spoil(t, path, "PRAGMA user_version = 0")
		}},
		{"half of a trail", store.BlindCorrupt, func(t *testing.T, path string) {
			trail(t, path)
			if err := os.Truncate(path, 8192); err != nil {
				t.Fatal(err)
			}
		}},
		{"pages of zeros", store.BlindCorrupt, func(t *testing.T, path string) {
			trail(t, path)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			size, err := f.Seek(0, io.SeekEnd)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt(make([]byte, size-4096), 4096)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			row.lay(t, w.path)
			before := picture(t, filepath.Dir(w.path))
			if err := w.monitor("m").Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.says("blind"); len(got) != 1 || !strings.HasSuffix(got[0], "blind "+row.want) {
				t.Errorf("the look said %q, want blind %s", got, row.want)
			}
			after := picture(t, filepath.Dir(w.path))
			ofSQLite := func(name string) bool { return strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, "-wal") }
			for name := range after {
				if _, was := before[name]; !was && !ofSQLite(name) {
					t.Errorf("the look made %s", name)
				}
			}
			for name, content := range before {
				if after[name] != content && !ofSQLite(name) {
					t.Errorf("the look changed %s", name)
				}
			}
		})
	}
}

// A trail that is not there yet is blind at every look, and watched once it is.
func TestSightComesByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		stop := w.watching(w.monitor("m1"))
		pass(3 * time.Second)
		w.want("blind", "0s blind missing", "1s blind missing", "2s blind missing", "3s blind missing")
		s := w.open()
		r := w.start(s, "nightly", 3)
		w.done(r, 1)
		pass(2 * time.Second)
		w.want("sighted", "4s sighted after 4s")
		pass(31 * time.Second)
		stop()
		w.want("signal stalled", "34s nightly signal stalled")
		var kinds []string
		for _, e := range w.events(s) {
			if strings.HasPrefix(e.Kind, "monitor.") {
				kinds = append(kinds, e.Kind+" "+e.Reason)
			}
		}
		if want := []string{"monitor.blind missing", "monitor.sighted missing"}; !slices.Equal(kinds, want) {
			t.Errorf("the log was told %q, want %q", kinds, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Field case 15: the database is deleted, and a copy of before comes back.
func TestAReplacedTrailIsBlind(t *testing.T) {
	for _, row := range []struct {
		name    string
		replace func(t *testing.T, path string)
	}{
		{"deleted", func(*testing.T, string) {}},
		{"another trail", func(t *testing.T, path string) { trail(t, path) }},
		{"another program's file", func(t *testing.T, path string) { spoil(t, path, "CREATE TABLE t (x)") }},
		{"an empty file", func(t *testing.T, path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(w *world, s *store.Store, r *store.Run) {
				stop := w.watching(w.monitor("m1"))
				pass(5 * time.Second)
				away := t.TempDir()
				move := func(from, to string) {
					for _, suffix := range []string{"", "-wal", "-shm"} {
						if err := os.Rename(from+suffix, to+suffix); err != nil && !os.IsNotExist(err) {
							t.Fatal(err)
						}
					}
				}
				move(w.path, filepath.Join(away, "trail.db"))
				row.replace(w.t, w.path)
				if _, err := r.Complete(w.t.Context(), store.Pos(2)); err == nil {
					t.Error("a step was accepted by a file that is gone")
				}
				pass(time.Minute)
				if n := len(w.says("blind")); n != 60 {
					t.Errorf("a minute of blindness was said %d times: %q", n, w.says("blind"))
				}
				if _, err := os.Stat(w.path); row.name == "deleted" && err == nil {
					t.Error("the monitor made a file")
				}
				for _, suffix := range []string{"", "-wal", "-shm", "-lock"} {
					if err := os.Remove(w.path + suffix); err != nil && !os.IsNotExist(err) {
						t.Fatal(err)
					}
				}
				move(filepath.Join(away, "trail.db"), w.path)
				pass(3 * time.Second)
				if n := len(w.says("sighted")); n != 1 {
					t.Errorf("sight came back %d times: %q", n, w.says(""))
				}
				if got := w.says("stalled"); len(got) > 0 {
					t.Errorf("a minute of blindness was charged: %q", got)
				}
				pass(25 * time.Second)
				stop()
				if got := w.says("signal stalled"); len(got) != 1 {
					t.Errorf("the silence after it was told %q, want stalled once", got)
				}
			})
		})
	}
}

// The database is locked so that nobody can read it, then not any more.
func TestALockedTrailIsBlind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		s := w.open()
		w.done(w.start(s, "nightly", 3), 1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", "file:"+w.path+"?_pragma=locking_mode(EXCLUSIVE)")
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		if _, err := db.Exec("UPDATE trail SET id = id WHERE id = 2"); err != nil {
			t.Fatal(err)
		}
		w.patience = 20 * time.Millisecond // which SQLite waits in real time
		stop := w.watching(w.monitor("m1"))
		pass(time.Minute)
		if got := w.says("blind locked"); len(got) < 15 {
			t.Errorf("a locked minute was said %q", got)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		stop()
		if n := len(w.says("sighted")); n != 1 {
			t.Errorf("sight came back %d times", n)
		}
		if got := w.says("stalled"); len(got) > 0 {
			t.Errorf("a locked minute was charged: %q", got)
		}
	})
}

// The database is locked for writers only: what is seen is said, and that it
// cannot be recorded.
func TestATrailThatCannotBeWrittenIsStillJudged(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(5 * time.Second)
		db, err := sql.Open("sqlite", "file:"+w.path)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if got := w.says("unrecorded"); len(got) < 10 {
			t.Errorf("a minute without records was said %q", got)
		}
		if got := w.says("nightly stalled"); len(got) != 1 {
			t.Errorf("the silence was said %q, want once", got)
		}
		if got := w.says("signal"); len(got) > 0 {
			t.Errorf("signals without a record: %q", got)
		}
		if _, err := db.Exec("ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		stop()
		if got := w.says("signal stalled"); len(got) != 1 {
			t.Errorf("what could be recorded at last was told %q, want stalled once", got)
		}
	})
}

// TestALostLogIsFoundByALook: the write-ahead log, or its index, deleted under
// the monitor and a worker at work, as by a tidy person. It is blind, sees again
// by itself, and sees what the worker writes then.
func TestALostLogIsFoundByALook(t *testing.T) {
	for _, gone := range [][]string{{"-wal", "-shm"}, {"-wal"}, {"-shm"}} {
		t.Run(strings.Join(gone, ""), func(t *testing.T) { testLostLog(t, gone) })
	}
}

func testLostLog(t *testing.T, gone []string) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(5 * time.Second)
		if err := s.Close(); err != nil {
			w.t.Fatal(err)
		}
		for _, suffix := range gone {
			if err := os.Remove(w.path + suffix); err != nil {
				w.t.Fatal(err)
			}
		}
		pass(5 * time.Second)
		if n := len(w.says("blind")); n == 0 {
			w.t.Errorf("the lost log was not noticed: %q", w.says(""))
		}
		again, err := store.Open(w.t.Context(), w.path, store.WithNow(w.now))
		if err != nil {
			w.t.Fatal(err)
		}
		defer again.Close()
		pass(5 * time.Second)
		if _, err := again.Run(r.ID(), r.Epoch()).Complete(w.t.Context(), store.Pos(2)); err != nil {
			w.t.Fatal(err)
		}
		pass(5 * time.Second)
		stop()
		if got := w.says("sighted"); len(got) != 1 {
			w.t.Errorf("sight came back %d times: %q", len(got), w.says(""))
		}
		got, err := again.Readings(w.t.Context(), cursor.Clock{}, nil)
		if err != nil || len(got) != 1 || got[0].Position != 2 {
			w.t.Errorf("Readings() = %+v, %v, want position 2", got, err)
		}
	})
}

// TestARaisedSchemaIsBlind: a newer progmon migrates the trail while it is
// watched. What is written then is not judged by the old rules, and sight is
// back by itself with the version.
func TestARaisedSchemaIsBlind(t *testing.T) {
	bubble(t, func(w *world, s *store.Store, r *store.Run) {
		stop := w.watching(w.monitor("m1"))
		pass(3 * time.Second)
		spoil(t, w.path, "PRAGMA user_version = 99")
		pass(3 * time.Second)
		spoil(t, w.path, "PRAGMA user_version = 2")
		pass(3 * time.Second)
		stop()
		w.want("blind", "4s blind newer-schema", "5s blind newer-schema", "6s blind newer-schema")
		w.want("sighted", "7s sighted after 3s")
		w.want("unrecorded")
	})
}
