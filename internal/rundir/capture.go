package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxCaptures is the most evidence-N of a run: a run that stalls a thousand
// times has shown enough.
const maxCaptures = 1000

// Capture is one evidence-N: what was seen at one time, a file a kind.
type Capture struct {
	N    int
	path string
	dir  *os.Root
}

// NewCapture makes the next evidence-N. It returns ErrNoSpace,
// ErrCannotCreate (also when there are a thousand), or what else went wrong.
func (d *Dir) NewCapture() (*Capture, error) {
	taken, err := d.Captures()
	if err != nil {
		return nil, err
	}
	n := 1
	if len(taken) > 0 {
		n = taken[len(taken)-1] + 1
	}
	for ; n <= maxCaptures; n++ {
		name := capturePrefix + strconv.Itoa(n)
		err := d.dir.Mkdir(name, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue // two captured at once
		}
		if err != nil {
			return nil, classify("create", d.File(name), err)
		}
		made, err := d.dir.Open(name)
		if err == nil {
			err = errors.Join(settle(made), syncDir(d.dir))
		}
		if err != nil {
			return nil, classify("create", d.File(name), err)
		}
		dir, err := d.dir.OpenRoot(name)
		if err != nil {
			return nil, classify("open", d.File(name), err)
		}
		return &Capture{N: n, path: d.File(name), dir: dir}, nil
	}
	return nil, fmt.Errorf("create %s: %w: there are %d already", d.File(capturePrefix+"N"), ErrCannotCreate, maxCaptures)
}

// Captures are the numbers of the evidence-N that there are, in order.
func (r *Reader) Captures() ([]int, error) {
	f, err := r.dir.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", r.path, err)
	}
	entries, err := f.ReadDir(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("list %s: %w", r.path, err)
	}
	var numbers []int
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), capturePrefix)
		n, err := strconv.Atoi(digits)
		if ok && err == nil && n > 0 && strconv.Itoa(n) == digits && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// Path is where the capture is.
func (c *Capture) Path() string { return c.path }

// Write keeps one kind of evidence under a plain name, durably.
func (c *Capture) Write(name string, content []byte) error {
	if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
		return fmt.Errorf("write %q in %s: %w", name, c.path, ErrCannotCreate)
	}
	return classify("write", filepath.Join(c.path, name), put(c.dir, name, content))
}

// Close lets go of the directory.
func (c *Capture) Close() error { return c.dir.Close() }
