package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/store"
)

// Roots are the run directories that are looked at beside a trail. The
// directory of a run with rows says what became of its process; a directory
// without rows is judged on its activity alone. Fill in the exported fields
// before the first look; it is for one goroutine.
type Roots struct {
	// Named are the roots that somebody asked for. One that is missing is blind,
	// and their directories without rows are watched.
	Named []string
	// Default is where the directories of runs with rows are looked for too. It
	// may be missing, and nothing else in it is told. Empty is none.
	Default string
	// Prober says who is there; nil is presence.System.
	Prober presence.Prober
	// Deadline is how long a look waits for a root that does not answer, before
	// it is called hung and left alone until it does; 0 is two seconds.
	Deadline time.Duration
	// Read names the directories of a root; nil is rundir.List.
	Read func(root string) []rundir.Entry

	roots []*root
	where map[string]*root // the directories, by id
	shut  []rundir.Entry   // what is there and can be no run, and roots that cannot be read
	rows  map[string]bool  // ids that are known to have rows
	fresh map[string]int   // ids that may have some, and how often they were asked for
	plain map[string]*plain
	noise map[string]*noise
	next  []string // directories that ended, the one to be visited next first
	lost  []string // directories without rows that were there at the look before
	files map[string]*Files
	said  map[rundir.Entry]bool // of shut, at the look before
	news  []Change              // of this look, of what has no rows
	dark  map[string]*darkness  // the roots that could not be read, by path
	back  []Back                // of this look
}

// root is one of them. What is below done belongs to the job while there is
// one.
type root struct {
	path  string
	named bool
	hung  bool
	blind cursor.Blindness // why nothing of it can be read now
	known []rundir.Entry   // as of the last listing that came in time

	done chan struct{} // closed when the job that is going on is over; nil: none

	whole    bool        // the last listing could be read
	info     os.FileInfo // as it was before it was listed
	at       time.Time   // when, by the wall clock
	listing  []rundir.Entry
	memories map[string]*rundir.Memory
}

// darkness is how long a root could not be read.
type darkness struct {
	reason string
	since  time.Time // awake
	looks  int64
}

// begin makes what a look needs.
func (d *Roots) begin() {
	if d.where != nil {
		return
	}
	d.where, d.rows, d.fresh = map[string]*root{}, map[string]bool{}, map[string]int{}
	d.dark = map[string]*darkness{}
	d.plain, d.noise = map[string]*plain{}, map[string]*noise{}
	if d.Prober == nil {
		d.Prober = presence.System
	}
	if d.Deadline <= 0 {
		d.Deadline = 2 * time.Second
	}
	if d.Read == nil {
		d.Read = func(root string) []rundir.Entry { return rundir.List([]string{root}) }
	}
	for _, path := range d.Named {
		same := func(r *root) bool { return filepath.Clean(r.path) == filepath.Clean(path) }
		if !slices.ContainsFunc(d.roots, same) {
			d.roots = append(d.roots, newRoot(path, true))
		}
	}
	if d.Default != "" {
		d.roots = append(d.roots, newRoot(d.Default, false))
	}
}

func newRoot(path string, named bool) *root {
	return &root{path: path, named: named, memories: map[string]*rundir.Memory{}}
}

// aside does a job for each root that has one, beside the loop and all at once,
// and waits for them until the deadline. A root whose job is late is hung: it
// gets no other job before that one is over, so that no more than one of them
// ever waits for a root, and no look waits for it twice.
func (d *Roots) aside(ctx context.Context, job func(*root) func()) {
	ctx, cancel := context.WithTimeout(ctx, d.Deadline)
	defer cancel()
	for _, r := range d.roots {
		if r.busy() {
			continue
		}
		do := job(r)
		if do == nil {
			continue
		}
		done := make(chan struct{})
		r.done = done
		go func() {
			defer close(done)
			do()
		}()
	}
	for _, r := range d.roots {
		if r.done == nil || r.hung {
			continue
		}
		select {
		case <-r.done:
			r.done = nil
		case <-ctx.Done():
			r.hung = r.busy()
		}
	}
}

// busy reports whether a job is still going on.
func (r *root) busy() bool {
	if r.done == nil {
		return false
	}
	select {
	case <-r.done:
		r.done, r.hung = nil, false
		return false
	default:
		return true
	}
}

// List finds out which directories there are. It begins a look; wall is the
// wall clock. The look goes on with Inspect.
func (d *Roots) List(ctx context.Context, wall time.Time) {
	if d == nil {
		return
	}
	d.begin()
	d.aside(ctx, func(r *root) func() { return func() { r.list(d.Read, wall) } })
	changed := false
	for i, r := range d.roots {
		was := r.blind
		switch {
		case r.hung:
			r.blind = cursor.Blindness{Reason: store.BlindHung, Detail: "the file system does not answer"}
		default:
			changed = r.take() || changed
			if r.info != nil && r.named && slices.ContainsFunc(d.roots[:i], func(other *root) bool {
				return !other.hung && other.info != nil && os.SameFile(other.info, r.info)
			}) {
				r.known = nil // a second name of a root
			}
		}
		if was.Reason != "" && r.blind.Reason == "" {
			clear(r.memories) // nobody is charged for what was not seen
		}
		changed = changed || was != r.blind
	}
	if changed {
		d.arrange()
	}
}

// take makes the last listing the known one, and says whether it is another.
func (r *root) take() bool {
	listing := r.listing
	if listing == nil {
		r.blind = cursor.Blindness{} // all is as it was when it could be read
		return false
	}
	r.listing, r.blind = nil, cursor.Blindness{}
	for _, e := range listing {
		if e.Run == "" {
			r.blind = e.Blind
			return true // what was known of it is kept until it can be read again
		}
	}
	r.known = listing
	return true
}

// list reads the names in the root, unless none of them changed since.
func (r *root) list(list func(string) []rundir.Entry, wall time.Time) {
	info, err := os.Stat(r.path)
	if err != nil {
		info = nil
	}
	if r.whole && info != nil && os.SameFile(info, r.info) && info.ModTime().Equal(r.info.ModTime()) &&
		r.at.Sub(info.ModTime()) > time.Second {
		return
	}
	r.info, r.at = info, wall
	r.listing = list(r.path)
	if r.listing == nil {
		r.listing = []rundir.Entry{}
	}
	r.whole = info != nil && !slices.ContainsFunc(r.listing, func(e rundir.Entry) bool { return e.Run == "" })
}

// arrange puts the listings of all roots together. Where two roots have a
// directory of the same name, the first one counts and the other is said.
func (d *Roots) arrange() {
	where := make(map[string]*root, len(d.where))
	d.shut = d.shut[:0]
	for _, r := range d.roots {
		if r.blind.Reason != "" && (r.named || r.blind.Reason == store.BlindHung) {
			d.shut = append(d.shut, rundir.Entry{Root: r.path, Blind: r.blind})
		}
		for _, e := range r.known {
			switch {
			case e.Blind.Reason == "" && where[e.Run] == nil:
				where[e.Run] = r
				if r.named && !d.rows[e.Run] && d.plain[e.Run] == nil {
					d.fresh[e.Run] += 0 // not asked for yet, or as often as it was
				}
			case !r.named:
			case e.Blind.Reason == "":
				e.Blind = cursor.Blindness{Reason: store.BlindNotATrail, Detail: "another root has a directory of that name: " + where[e.Run].path}
				d.shut = append(d.shut, e)
			default:
				d.shut = append(d.shut, e)
			}
		}
	}
	d.where = where
	for id := range d.fresh {
		if where[id] == nil {
			delete(d.fresh, id)
		}
	}
	for id, p := range d.plain {
		if where[id] == nil {
			if !p.row.Verdict.State.Ended() {
				d.lost = append(d.lost, id)
			}
			delete(d.plain, id)
		}
	}
	slices.Sort(d.lost)
}

// has reports whether a run has a directory in a root.
func (d *Roots) has(run string) bool { return d != nil && d.where[run] != nil }

// unknown appends the directories of which it is not known whether they have
// rows.
func (d *Roots) unknown(runs []string) []string {
	if d != nil {
		for id := range d.fresh {
			runs = append(runs, id)
		}
	}
	return runs
}
