package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// A worker opens the trail, starts a run, and leaves a row for each step it has
// finished. That row is all that progmon asks of it.
func Example() {
	dir, err := os.MkdirTemp("", "progmon")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	trail, err := store.Open(ctx, filepath.Join(dir, "trail.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trail.Close()

	run, err := trail.Start(ctx, store.Declared{
		Run:    "nightly-1",
		Family: "nightly",
		Steps:  []string{"fetch", "convert", "publish"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		step, err := run.Claim(ctx)
		if errors.Is(err, store.ErrNoStep) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		// … the work itself …
		ack, err := run.Complete(ctx, store.Pos(step.Pos))
		if errors.Is(err, store.ErrFenced) {
			return // another worker has taken over: stop at once
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s is durable: %d of 3\n", step.Name, ack.Position)
	}
	if _, err := run.Finish(ctx, cursor.Exit{Code: 0}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// fetch is durable: 1 of 3
	// convert is durable: 2 of 3
	// publish is durable: 3 of 3
}

// A step that takes long says how long it may, and marks how far it is.
func ExampleRun_Mark() {
	dir, err := os.MkdirTemp("", "progmon")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	trail, err := store.Open(ctx, filepath.Join(dir, "trail.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trail.Close()
	run, err := trail.Start(ctx, store.Declared{Run: "copy", Total: cursor.Total{N: 1, Known: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := run.Begin(ctx, store.Pos(1), 40*time.Minute); err != nil {
		fmt.Println(err)
		return
	}
	for gigabytes := int64(1); gigabytes <= 3; gigabytes++ {
		if _, err := run.Mark(ctx, store.Pos(1), gigabytes, 3); err != nil {
			fmt.Println(err)
			return
		}
	}
	ack, err := run.Complete(ctx, store.Pos(1))
	fmt.Println(ack.Position, err)
	// Output: 1 <nil>
}

// Whoever continues the work of a worker that is gone raises the epoch, and
// the old worker can change nothing any more.
func ExampleStore_Takeover() {
	dir, err := os.MkdirTemp("", "progmon")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	trail, err := store.Open(ctx, filepath.Join(dir, "trail.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trail.Close()
	old, err := trail.Start(ctx, store.Declared{Run: "index", Total: cursor.Total{N: 2, Known: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := trail.Takeover(ctx, "index", old.Epoch())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = old.Complete(ctx, store.Pos(1))
	fmt.Println(errors.Is(err, store.ErrFenced))
	ack, err := run.Complete(ctx, store.Pos(1))
	fmt.Println(ack.Position, err)
	// Output:
	// true
	// 1 <nil>
}
