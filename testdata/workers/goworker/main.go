// Command goworker counts the words of a directory of files, a step a file.
//
// It leaves its trail through package store: see work, which is what a worker
// of your own would look like. The rest is its real work, and the ways in which
// it can be told to misbehave.
//
//	goworker --db trail.db --run words --corpus DIR --out DIR
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func main() {
	var w worker
	db := flag.String("db", os.Getenv("PROGMON_DB"), "the trail")
	flag.StringVar(&w.run, "run", cmp.Or(os.Getenv("PROGMON_RUN"), "words"), "the run")
	flag.StringVar(&w.family, "family", "words", "its family")
	flag.StringVar(&w.corpus, "corpus", "", "the files to count: *.txt")
	flag.StringVar(&w.out, "out", "", "where result.tsv goes")
	flag.IntVar(&w.limit, "files", 0, "only the first so many files")
	behave := flag.String("behave", "finish", "finish, never, recede, or in step K: quiet, recover, retry, marks, hold, budget, crash; written `HOW[:K]`")
	flag.DurationVar(&w.pace, "pace", 200*time.Millisecond, "how long a file takes (or a line, with marks)")
	flag.DurationVar(&w.pause, "pause", 10*time.Second, "how long recover, hold and budget take")
	atMost := flag.Duration("at-most", 10*time.Minute, "how long the process lives at most")
	flag.BoolVar(&w.resume, "resume", false, "take the run over and go on with it")
	flag.Parse()

	var k string
	w.how, k, _ = strings.Cut(*behave, ":")
	w.k, _ = strconv.Atoi(cmp.Or(k, "3"))
	ctx, cancel := context.WithTimeout(context.Background(), *atMost)
	defer cancel()
	os.Exit(w.main(ctx, *db))
}

// worker is what the flags say.
type worker struct {
	run, family, corpus, out string
	how                      string
	k, limit                 int
	pace, pause              time.Duration
	resume                   bool
	files                    []string
}

var errCrash = errors.New("crash, as told")

func (w *worker) main(ctx context.Context, db string) int {
	err := w.open(ctx, db)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errCrash):
		return 3
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(os.Stderr, "goworker: --at-most is over")
		return 124
	}
	fmt.Fprintln(os.Stderr, "goworker:", err)
	if errors.Is(err, store.ErrFenced) {
		return 77 // another worker has the run: stop, and write nothing more
	}
	return 65
}

func (w *worker) open(ctx context.Context, db string) (err error) {
	if w.files, err = filepath.Glob(filepath.Join(w.corpus, "*.txt")); err != nil {
		return err
	}
	if w.limit > 0 {
		w.files = w.files[:min(w.limit, len(w.files))]
	}
	if err := os.MkdirAll(w.out, 0o700); err != nil {
		return err
	}
	trail, err := store.Open(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trail.Close()) }()
	return w.work(ctx, trail)
}

// work is the whole run: declare it, or take it over; then for each step begin
// it, do it, and flip its row. When Complete has returned, the step is durable.
func (w *worker) work(ctx context.Context, trail *store.Store) error {
	run, done, err := w.begin(ctx, trail)
	if err != nil {
		return err
	}
	if w.how == "never" {
		return w.rest(ctx, forEver)
	}
	total := int64(len(w.files))
	for pos := done + 1; pos <= total; pos++ {
		if w.how == "recede" {
			total += 2
			if _, err := run.SetTotal(ctx, cursor.Total{N: total, Known: true}); err != nil {
				return err
			}
		}
		if err := w.step(ctx, run, store.Pos(pos)); err != nil {
			return err
		}
	}
	if err := w.join(); err != nil {
		return err
	}
	_, err = run.Finish(ctx, cursor.Exit{AskedBy: "worker"})
	return err
}

// begin declares the run, a step for each file. With --resume it replaces the
// worker that had it, and goes on after the last step of the unbroken row of
// finished ones.
func (w *worker) begin(ctx context.Context, trail *store.Store) (run *store.Run, done int64, err error) {
	if !w.resume {
		names := make([]string, len(w.files))
		for i, file := range w.files {
			names[i] = filepath.Base(file)
		}
		run, err = trail.Start(ctx, store.Declared{
			Run: w.run, Family: w.family, Total: cursor.Total{N: int64(len(names)), Known: true}, Steps: names,
		})
		return run, 0, err
	}
	if run, err = trail.Takeover(ctx, w.run, 0); err != nil {
		return nil, 0, err
	}
	clock, err := trail.Clock(ctx, 0)
	if err != nil {
		return nil, 0, err
	}
	readings, err := trail.Readings(ctx, clock, []string{w.run})
	if err != nil {
		return nil, 0, err
	}
	return run, readings[0].Frontier, nil
}

// step does one step, in the way that was asked of it.
func (w *worker) step(ctx context.Context, run *store.Run, ref store.StepRef) error {
	how, budget := "finish", time.Duration(0)
	if ref.Pos == int64(w.k) {
		how = w.how
	}
	switch how {
	case "hold":
		if _, err := run.Hold(ctx, 2*w.pause, "the export window is closed"); err != nil {
			return err
		}
		if err := w.rest(ctx, w.pause); err != nil {
			return err
		}
		if _, err := run.Resume(ctx); err != nil {
			return err
		}
	case "budget":
		budget = 2 * w.pause
	}

	if _, err := run.Begin(ctx, ref, budget); err != nil {
		return err
	}
	var err error
	switch how {
	case "quiet":
		err = w.rest(ctx, forEver)
	case "recover", "budget":
		err = w.rest(ctx, w.pause)
	case "marks":
		err = w.mark(ctx, run, ref)
	case "crash":
		_, err = run.Finish(ctx, cursor.Exit{Code: 3, AskedBy: "worker"})
		err = errors.Join(err, errCrash)
	case "retry":
		err = w.retry(ctx, run, ref)
	default:
		err = w.rest(ctx, w.pace)
	}
	if err != nil {
		return err
	}
	if err := w.count(ref.Pos); err != nil {
		return err
	}
	_, err = run.Complete(ctx, ref)
	return err
}

// retry fails the step and begins it again, for ever.
func (w *worker) retry(ctx context.Context, run *store.Run, ref store.StepRef) error {
	for {
		if err := w.rest(ctx, w.pace); err != nil {
			return err
		}
		if _, err := run.Fail(ctx, ref, "the file is locked"); err != nil {
			return err
		}
		if _, err := run.Begin(ctx, ref, 0); err != nil {
			return err
		}
	}
}

// mark reads the file slowly, a line at a time: that is progress inside a step.
func (w *worker) mark(ctx context.Context, run *store.Run, ref store.StepRef) error {
	text, err := os.ReadFile(w.file(ref.Pos))
	if err != nil {
		return err
	}
	of := int64(bytes.Count(text, []byte("\n")))
	for amount := int64(1); amount <= of; amount++ {
		if err := w.rest(ctx, w.pace); err != nil {
			return err
		}
		if _, err := run.Mark(ctx, ref, amount, of); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) file(pos int64) string { return w.files[(pos-1)%int64(len(w.files))] }

// count is the real work: it reads a file, and keeps what was counted.
func (w *worker) count(pos int64) error {
	text, err := os.ReadFile(w.file(pos))
	if err != nil {
		return err
	}
	name := filepath.Base(w.file(pos))
	row := fmt.Appendf(nil, "%s\t%d\t%d\t%d\t%x\n", name,
		bytes.Count(text, []byte("\n")), len(bytes.Fields(text)), len(text), sha256.Sum256(text))
	return w.write(name+".part", row)
}

// join makes one result of the parts.
func (w *worker) join() error {
	var all []byte
	for _, file := range w.files {
		row, err := os.ReadFile(filepath.Join(w.out, filepath.Base(file)+".part"))
		if err != nil {
			return err
		}
		all = append(all, row...)
	}
	return w.write("result.tsv", all)
}

// write replaces a file as a whole: half a result is never seen.
func (w *worker) write(name string, text []byte) error {
	part := filepath.Join(w.out, fmt.Sprintf(".%s.%d", name, os.Getpid()))
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, filepath.Join(w.out, name))
}

const forEver = 1 << 62 // nanoseconds

// rest sleeps, unless the time that the process may live is over first.
func (w *worker) rest(ctx context.Context, d time.Duration) error {
	nap := time.NewTimer(d)
	defer nap.Stop()
	select {
	case <-nap.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
