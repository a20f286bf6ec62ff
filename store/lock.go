package store

import (
	"context"
	"os"
	"time"
)

// fairLock makes writing processes queue. SQLite's own busy handler lets one
// of them write nearly everything while another waits for seconds; an
// exclusive lock on a file beside the database, taken before BEGIN IMMEDIATE,
// serves them about in turn. It is only for fairness: a writer that does not
// take it, or could not, is still correct.
//
// A nil fairLock, and one on a platform without flock, is always left free.
type fairLock struct {
	file  *os.File
	polls bool
	// waiting is a wait that its caller gave up. It may still be granted, and
	// is then the next caller's. stuck says that it outlasted its time: the
	// holder was stopped, and nobody waits for it any more.
	waiting chan struct{}
	stuck   bool
}

// openLock opens the lock beside the database. Without it (its directory is
// not writable, it belongs to someone else) writers are served as SQLite does.
func openLock(abs string, mode os.FileMode, polls bool) *fairLock {
	f, err := os.OpenFile(abs+"-lock", os.O_CREATE|os.O_RDWR, mode.Perm())
	if err != nil {
		return nil
	}
	return &fairLock{file: f, polls: polls}
}

// acquire waits in line for limit at most, then goes on without the lock: a
// process that was stopped with it in hand must not end all writing. held says
// whether to release it; an error is the context's.
func (l *fairLock) acquire(ctx context.Context, limit time.Duration) (held bool, err error) {
	if l == nil {
		return false, nil
	}
	if l.waiting == nil {
		switch free, known := tryLock(l.file); {
		case free:
			return true, nil
		case !known:
			return false, nil
		case l.polls:
			return l.poll(ctx, limit)
		}
		granted := make(chan struct{}, 1)
		go func(f *os.File) {
			waitLock(f)
			granted <- struct{}{}
		}(l.file)
		l.waiting = granted
	}
	if l.stuck {
		limit = 0
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-l.waiting:
		l.waiting, l.stuck = nil, false
		return true, nil
	default:
	}
	select {
	case <-l.waiting:
		l.waiting, l.stuck = nil, false
		return true, nil
	case <-t.C:
		l.stuck = true
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// poll is acquire without a blocked system call, which would hold up the
// clock of a test.
func (l *fairLock) poll(ctx context.Context, limit time.Duration) (bool, error) {
	for until := time.Now().Add(limit); time.Now().Before(until); {
		if err := sleep(ctx, time.Millisecond); err != nil {
			return false, err
		}
		if free, known := tryLock(l.file); free || !known {
			return free, nil
		}
	}
	return false, nil
}

// release lets the next in line go.
func (l *fairLock) release() { unlock(l.file) }

// close gives the lock up. A wait that was given up ends with its grant.
func (l *fairLock) close() {
	if l == nil {
		return
	}
	if l.waiting != nil {
		go func(f *os.File, granted chan struct{}) {
			<-granted
			f.Close()
		}(l.file, l.waiting)
		return
	}
	l.file.Close()
}
