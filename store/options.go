package store

import (
	"io/fs"
	"os"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Option changes how a trail is opened.
type Option func(*options)

type options struct {
	now      func() cursor.Instant
	polls    bool // a clock that is not the real one: block in no system call
	busy     time.Duration
	source   string
	existing bool
	stat     func(path string) (fs.FileInfo, error)
	find     func(path string) (fileID, error)
	fsType   func(dir string) string
}

// The busy timeouts when WithBusyTimeout is not given.
const (
	defaultWriteTimeout = 10 * time.Second
	defaultReadTimeout  = 3 * time.Second
)

func newOptions(opts []Option, busy time.Duration) options {
	o := options{now: Now, busy: busy, source: "worker", stat: os.Stat, find: findFile, fsType: networkFS}
	for _, set := range opts {
		set(&o)
	}
	return o
}

// WithNow gives the Store or Reader a clock of its own: for tests, in which
// the wall, the monotonic clock and the boot are what the test says.
func WithNow(now func() cursor.Instant) Option {
	return func(o *options) { o.now, o.polls = now, true }
}

// WithBusyTimeout says how long another process that holds the database is
// waited for: 10 s when writing and 3 s when reading, if not given. A reader
// also takes it for the time in which the file system must answer.
func WithBusyTimeout(d time.Duration) Option {
	return func(o *options) { o.busy = max(d, time.Millisecond) }
}

// WithSource says who writes: "worker" (if not given), "user" or "wrapper".
func WithSource(source string) Option {
	return func(o *options) { o.source = source }
}

// WithExisting makes Open take only a trail that is there and has the present
// schema: it makes no file, lays down no schema, and returns the *BlindError
// that OpenReader would. For a monitor, which must not heal what it watches.
func WithExisting() Option {
	return func(o *options) { o.existing = true }
}
