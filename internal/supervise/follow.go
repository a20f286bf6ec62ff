package supervise

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/progmon/progmon/internal/rundir"
)

// followEvery is how often a log is looked at for more.
const followEvery = 100 * time.Millisecond

// tailWindow is how many bytes of a log are looked at for its last lines: a
// line may be as long as the whole log.
const tailWindow = 1 << 20

// Tail writes the last lines of a run's log to out, of at most 1 MiB in all.
// It gives where it ended, for Follow. A log that is not there is empty.
func Tail(r *rundir.Reader, lines int, out io.Writer) (Place, error) {
	f, info, err := r.ReadLog()
	if errors.Is(err, rundir.ErrAbsent) {
		return Place{}, nil
	}
	if err != nil {
		return Place{}, err
	}
	defer f.Close()
	size := info.Size()
	window := make([]byte, min(size, tailWindow))
	n, err := f.ReadAt(window, size-int64(len(window)))
	if err != nil && !errors.Is(err, io.EOF) {
		return Place{}, err
	}
	window = window[:n]
	_, err = out.Write(lastLines(window, lines))
	return Place{file: info, offset: size}, err
}

// lastLines are the last lines of text; the last of them may have no end.
func lastLines(text []byte, lines int) []byte {
	if lines <= 0 {
		return nil
	}
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for range lines {
		if at = bytes.LastIndexByte(text[:at], '\n'); at < 0 {
			return text
		}
	}
	return text[at+1:]
}

// Place is how far a log has been read. The zero Place is its beginning.
type Place struct {
	file   fs.FileInfo
	offset int64
}

// Follow writes what is added to a run's log to out, from a place on, until the
// run is over or ctx ends. A log that was put aside for a new one, or cut, is
// followed from the beginning of what is there now; the next epoch writes on
// in it.
func Follow(ctx context.Context, r *rundir.Reader, from Place, out io.Writer) error {
	again := time.NewTicker(followEvery)
	defer again.Stop()
	f := follower{r: r, at: from}
	defer f.close()
	var s settled
	for {
		last := s.at(time.Now(), over(r))
		if err := f.copy(out); err != nil || last {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}

type follower struct {
	r    *rundir.Reader
	file *os.File
	at   Place
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// copy writes what came since.
func (f *follower) copy(out io.Writer) error {
	next, info, err := f.r.ReadLog()
	switch {
	case errors.Is(err, rundir.ErrAbsent):
		return f.rest(out) // put aside, and the new one is not there yet
	case err != nil:
		return err
	}
	if f.at.file != nil && !os.SameFile(f.at.file, info) {
		if err := f.rest(out); err != nil {
			return errors.Join(err, next.Close())
		}
		f.at = Place{}
	}
	f.close()
	f.file, f.at.file = next, info
	if info.Size() < f.at.offset {
		f.at.offset = 0
	}
	return f.rest(out)
}

// rest copies from the file that is open to its end.
func (f *follower) rest(out io.Writer) error {
	if f.file == nil {
		return nil
	}
	n, err := io.Copy(out, io.NewSectionReader(f.file, f.at.offset, 1<<62))
	f.at.offset += n
	return err
}
