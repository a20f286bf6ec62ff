package pipeline

import "bytes"

// maxLine is how long a line may be, without its end.
const maxLine = 1 << 20

// lines cuts what was read into lines. A line that is too long is given up
// where that shows, so that no more than one line is ever kept.
type lines struct {
	partial []byte // the beginning of a line whose end was not read yet
	tooLong bool   // and it is being skipped
	n       int    // lines so far, counted from 1
}

// each hands the lines that end in data to fn, the last of all too when there
// is nothing to follow. A line must not be kept; one that is too long is empty.
func (l *lines) each(data []byte, last bool, fn func(n int, line []byte, tooLong bool)) {
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		l.take(data[:end])
		data = data[end+1:]
		l.end(fn)
	}
	l.take(data)
	if last && (len(l.partial) > 0 || l.tooLong) {
		l.end(fn)
	}
}

func (l *lines) take(piece []byte) {
	if l.tooLong = l.tooLong || len(l.partial)+len(piece) > maxLine; l.tooLong {
		l.partial = nil // 1 MiB is not kept for the lines to come
		return
	}
	l.partial = append(l.partial, piece...)
}

func (l *lines) end(fn func(int, []byte, bool)) {
	l.n++
	fn(l.n, l.partial, l.tooLong)
	l.partial, l.tooLong = l.partial[:0], false
}
