package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/progmon/progmon/store"
)

// roleVar names what this test program is to be when it runs itself.
const roleVar = "PROGMON_STORE_TEST_ROLE"

// roles are the other processes that tests need.
var roles = map[string]func(args []string) error{
	"open":     roleOpen,
	"read":     roleRead,
	"lock":     roleLock,
	"flock":    roleFlock,
	"work":     roleWork,
	"fill":     roleFill,
	"saturate": roleSaturate,
	"starve":   roleStarve,
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// another is this program in another role.
func another(role string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), roleVar+"="+role)
	c.Stderr = os.Stderr
	return c
}

// roleOpen opens a trail for writing and says which one it is.
func roleOpen(args []string) error {
	s, err := store.Open(context.Background(), args[0])
	if err != nil {
		return err
	}
	id, err := s.Instance(context.Background())
	fmt.Print(id)
	if err != nil {
		return err
	}
	return s.Close()
}

// roleRead opens a trail for reading and says why it is blind, if it is.
func roleRead(args []string) error {
	r, err := store.OpenReader(context.Background(), args[0])
	if err != nil {
		fmt.Print(err)
		return nil
	}
	fmt.Print("sighted")
	return r.Close()
}

// roleLock holds a database so that nobody can read it, until it is ended.
func roleLock(args []string) error {
	db, err := sql.Open("sqlite", args[0])
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, text := range []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE meeting SET pos = pos"} {
		if _, err := db.Exec(text); err != nil {
			return err
		}
	}
	return untilStdinEnds()
}

// untilStdinEnds says that all is ready, and waits for the parent to let go.
func untilStdinEnds() error {
	fmt.Println("ready")
	_, err := os.Stdin.Read(make([]byte, 1))
	if err != nil && strings.Contains(err.Error(), "EOF") {
		return nil
	}
	return err
}

// beside starts another role and returns when it is ready; the function ends it.
func beside(t testing.TB, role string, args ...string) (end func()) {
	t.Helper()
	c := another(role, args...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 6)
	if _, err := out.Read(line); err != nil {
		t.Fatalf("role %s: %v", role, err)
	}
	done := false
	end = func() {
		if done {
			return
		}
		done = true
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("role %s: %v", role, err)
		}
	}
	t.Cleanup(end)
	return end
}

// trail is a trail with one run of five steps, closed again.
func trail(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trail.db")
	s, err := store.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(context.Background(), store.Declared{Run: "r", Steps: []string{"a", "b", "c", "d", "e"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// within waits for a condition, and not for ever.
func within(t testing.TB, limit time.Duration, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(limit); !met(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
