package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// maxBatch is how many calls share one transaction at most.
const maxBatch = 256

// gatherYields is how often the leader offers its processor around for each
// call that shared the last transaction, before it goes on without them.
const gatherYields = 2

// writer is the one connection that writes. Calls queue for it; the first to
// come leads: it opens a transaction, does what is queued by then, commits,
// and hands the lead to the first of those that came meanwhile. Nobody waits
// for company, and there is no goroutine of the writer's own.
type writer struct {
	*conn
	lock *fairLock
	busy time.Duration
	find func(string) (fileID, error)
	file fileID // the database file as it was opened
	with beside
	read string // the driver's name for a connection that only reads
	data int64  // PRAGMA data_version when the schema was last found to be known; 0: never

	mu      sync.Mutex
	idle    sync.Cond // leading fell to false
	queue   []*job
	leading bool
	closed  bool

	// Of the one that leads, and reused.
	batch   []*job
	company int // how many shared the last transaction
	group   []*job
	text    []byte
}

// job is one call that waits for a transaction.
type job struct {
	do    func(*tx) error
	plain *completion // what do does, where it can be shared
	done  bool        // it was
	since time.Time
	wake  chan struct{} // buffered: it is done, or it leads; nil for who led at once
	leads bool
	taken bool
	err   error
}

// do runs fn in the next transaction. See Store.write and completion.
func (w *writer) do(ctx context.Context, fn func(*tx) error, plain *completion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{do: fn, plain: plain, since: time.Now()}
	w.mu.Lock()
	switch {
	case w.closed:
		w.mu.Unlock()
		return ErrClosed
	case w.leading:
		j.wake = make(chan struct{}, 1)
		w.queue = append(w.queue, j)
		w.mu.Unlock()
		if err := w.follow(ctx, j); err != nil || !j.leads {
			return err
		}
	default:
		w.leading = true
		w.mu.Unlock()
	}
	w.lead(ctx, j)
	return j.err
}

// follow waits until j is done or leads.
func (w *writer) follow(ctx context.Context, j *job) error {
	select {
	case <-j.wake:
		return j.err
	case <-ctx.Done():
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case j.leads:
		j.leads = false
		w.handOn()
	case !j.taken:
		for i, each := range w.queue {
			if each == j {
				w.queue = append(w.queue[:i], w.queue[i+1:]...)
				break
			}
		}
	}
	return ctx.Err()
}

// lead does own, and what else is queued once the database is held.
func (w *writer) lead(ctx context.Context, own *job) {
	held, err := w.enter(ctx, own.since.Add(w.busy))
	w.gather()
	batch := append(w.batch[:0], own)
	if err != nil {
		own.err = err
	} else {
		w.mu.Lock()
		n := min(len(w.queue), maxBatch-1)
		batch = append(batch, w.queue[:n]...)
		w.queue = w.queue[:copy(w.queue, w.queue[n:])]
		for _, j := range batch {
			j.taken = true
		}
		w.mu.Unlock()
		w.transact(batch)
	}
	if held {
		w.lock.release()
	}
	w.company = len(batch)
	w.mu.Lock()
	for _, j := range batch[1:] {
		j.wake <- struct{}{}
	}
	clear(batch)
	w.batch = batch
	w.handOn()
	w.mu.Unlock()
}

// gather lets those run whose step the last transaction took, since they have
// been woken just now: they come with the next step, and share this one. Who
// writes alone waits for nobody, and nobody is waited for longer than a
// processor takes to be offered around.
func (w *writer) gather() {
	for range w.company * gatherYields {
		w.mu.Lock()
		came := len(w.queue) + 1
		w.mu.Unlock()
		if came >= w.company {
			return
		}
		runtime.Gosched()
	}
}

// handOn gives the lead to the first in the queue. The caller holds mu.
func (w *writer) handOn() {
	if len(w.queue) == 0 {
		w.leading = false
		w.idle.Broadcast()
		return
	}
	next := w.queue[0]
	w.queue = w.queue[:copy(w.queue, w.queue[1:])]
	next.leads, next.taken = true, true
	next.wake <- struct{}{}
}

// enter takes the place in the line of processes and begins a transaction.
func (w *writer) enter(ctx context.Context, deadline time.Time) (held bool, err error) {
	if err := w.present(); err != nil {
		return false, err
	}
	held, err = w.lock.acquire(ctx, w.busy)
	if err != nil {
		return held, err
	}
	// The line may have taken all the time there was; one try is always made.
	pause := time.Duration(0)
	for {
		err = w.begin()
		if !errors.Is(err, ErrBusy) {
			return held, err
		}
		// Someone who does not stand in the line writes, or the line was left.
		left := time.Until(deadline)
		if left <= 0 {
			return held, err
		}
		pause = min(pause+500*time.Microsecond, 5*time.Millisecond, left)
		if err := sleep(ctx, pause); err != nil {
			return held, err
		}
	}
}

// sleep waits for d, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// transact does the jobs in the transaction that has begun, each on its own,
// and commits them together.
func (w *writer) transact(jobs []*job) {
	t := tx{w: w}
	fatal := w.known()
	if fatal == nil {
		fatal = t.share(jobs)
	}
	for _, j := range jobs {
		if fatal != nil {
			break
		}
		if !j.done {
			fatal = t.run(j)
		}
	}
	if fatal == nil {
		fatal = w.finish()
	}
	if fatal == nil {
		return
	}
	// SQLite may have rolled back already; then this is refused, and right.
	_ = w.rollback()
	for _, j := range jobs {
		j.err = or(j.err, fatal)
	}
}

// known makes sure that nobody has brought the schema beyond what is known
// here since the trail was opened: its rules may be others now. Nothing needs
// asking as long as nobody else has committed.
func (w *writer) known() error {
	var data int64
	if err := w.peek("data_version", func(row []value) error { data = whole(row[0]); return nil }); err != nil || data == w.data {
		return err
	}
	var version, applied int64
	if err := w.peek("schema_version", func(row []value) error { version = whole(row[0]); return nil }); err != nil {
		return err
	}
	if err := newerSchema(version); err != nil {
		return err
	}
	if err := w.peek("schema_applied", func(row []value) error { applied = whole(row[0]); return nil }); err != nil {
		return err
	}
	if err := newerSchema(applied); err != nil {
		return err
	}
	w.data = data
	return nil
}

// or is the first error that is one.
func or(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// finish commits, and makes sure that what was committed can be found again.
func (w *writer) finish() error {
	if err := w.commit(); err != nil {
		return err
	}
	return w.present()
}

// present finds the file that was opened still under its path. Writes to a
// file that was deleted or replaced would be lost without a word.
func (w *writer) present() error {
	if err := sameFile(w.find, w.path, w.file); err != nil {
		return err
	}
	return w.with.same(w.find)
}

// close waits for the calls in progress and closes the connection.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
	w.mu.Unlock()
	w.lock.close()
	if w.with.superseded(w.find) {
		return w.leave(w.read)
	}
	w.keepLog()
	return w.conn.close()
}
