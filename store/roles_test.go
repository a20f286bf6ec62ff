package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// roleWork completes the steps of run r from first on and says each when it is
// durable, for ever.
func roleWork(args []string) error {
	s, err := store.Open(context.Background(), args[0])
	if err != nil {
		return err
	}
	first, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return err
	}
	r := s.Run("r", 1)
	for pos := first; ; pos++ {
		if _, err := r.Complete(context.Background(), store.Pos(pos)); err != nil {
			return err
		}
		fmt.Println(pos)
	}
}

// roleFill completes steps until it is refused, and says how many were done
// and why no more.
func roleFill(args []string) error {
	if err := limitFileSize(args[1]); err != nil {
		return err
	}
	s, err := store.Open(context.Background(), args[0])
	if err != nil {
		return err
	}
	r := s.Run("r", 1)
	done := int64(0)
	for {
		if _, err = r.CompleteNoted(context.Background(), store.Pos(done+1), string(make([]byte, 0, 1))+fmt.Sprintf("%2000d", done)); err != nil {
			break
		}
		done++
	}
	fmt.Println(done, err)
	return s.Close()
}

// roleSaturate completes steps of a run of its own as fast as it can for a
// while, and says how many it made and how long it waited at worst.
func roleSaturate(args []string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, args[0])
	if err != nil {
		return err
	}
	r, err := s.Start(ctx, store.Declared{Run: args[1], Total: cursor.Total{Open: true}})
	if err != nil {
		return err
	}
	length, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	if err := untilStdinEnds(); err != nil {
		return err
	}
	steps, worst := int64(0), time.Duration(0)
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		if _, err := r.Complete(ctx, store.Pos(steps+1)); err != nil {
			return err
		}
		steps++
		worst = max(worst, time.Since(began))
	}
	fmt.Println(steps, worst.Microseconds())
	return s.Close()
}

// roleStarve is roleSaturate for a client that waits as SQLite does.
func roleStarve(args []string) error {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:"+args[0]+"?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=synchronous(2)&_pragma=temp_store(2)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `INSERT INTO run (id, open) VALUES (?, 1)`, args[1]); err != nil {
		return err
	}
	step, err := db.PrepareContext(ctx, `INSERT INTO step (run_id, pos, state) VALUES (?, ?, 'done')`)
	if err != nil {
		return err
	}
	length, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	if err := untilStdinEnds(); err != nil {
		return err
	}
	steps, worst := int64(0), time.Duration(0)
	for end := time.Now().Add(length); time.Now().Before(end); {
		began := time.Now()
		if _, err := step.ExecContext(ctx, args[1], steps+1); err != nil {
			return err
		}
		steps++
		worst = max(worst, time.Since(began))
	}
	fmt.Println(steps, worst.Microseconds())
	return db.Close()
}
