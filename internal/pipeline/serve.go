package pipeline

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/progmon/progmon/store"
)

// maxBatch is how many lines share a transaction at most: while it lasts no
// other process writes.
const maxBatch = 256

// Server answers the lines of a worker.
type Server struct {
	Store *store.Store
	Run   string // what a line that names no run is about; may be empty
	Epoch int64  // the epoch that the worker was given for Run, or for any run when that is empty; 0: none
	// Code is the exit code that a command would have for an error.
	Code func(error) int
	// Malformed is the code for a line that could not be understood.
	Malformed int
}

// item is a line on its way.
type item struct {
	line int
	run  string
	as   int64
	do   act
	ack  store.Ack
	err  error
	code int
}

// Serve answers what comes in on out until in ends, and gives the code of the
// first line that was not accepted, 0 when there was none. When ctx ends, what
// was read is finished first. A line that is not accepted ends nothing; an
// error says that in could not be read or out not be written.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		cut          lines
		batch        []item
		w            = bufio.NewWriter(out)
		chunks, free = readAhead(ctx, in)
	)
	flush := func() {
		if err == nil && len(batch) > 0 {
			first := s.answer(context.WithoutCancel(ctx), batch, w)
			if err = w.Flush(); code == 0 {
				code = first
			}
		}
		batch = batch[:0]
	}
	for {
		var c chunk
		select {
		case c = <-chunks:
		case <-ctx.Done():
			select {
			case c = <-chunks:
			default:
				return code, ctx.Err()
			}
		}
		cut.each(c.data, c.err != nil, func(n int, line []byte, tooLong bool) {
			if it, ok := s.take(n, line, tooLong); ok {
				batch = append(batch, it)
			}
			if len(batch) == maxBatch {
				flush()
			}
		})
		flush()
		switch {
		case err != nil || errors.Is(c.err, io.EOF):
			return code, err
		case c.err != nil:
			return code, fmt.Errorf("read line %d: %w", cut.n+1, c.err)
		}
		free <- c.data
	}
}

// take understands a line; ok is false for a blank one, which has no answer.
func (s *Server) take(n int, line []byte, tooLong bool) (it item, ok bool) {
	it = item{line: n}
	if tooLong {
		it.err = fmt.Errorf("line %d is longer than %d bytes", n, maxLine)
		it.code = s.Malformed
		return it, true
	}
	if isBlank(line) {
		return it, false
	}
	q, do, err := read(line)
	it.do, it.run = do, s.Run
	if q.Run != nil {
		it.run = *q.Run
	}
	if err == nil && it.run == "" {
		err = errors.New("no run is named: give it in run, by --run or in PROGMON_RUN")
	}
	if err != nil {
		it.err, it.code = fmt.Errorf("line %d: %w", n, err), s.Malformed
	}
	switch {
	case q.Epoch != nil:
		it.as = *q.Epoch
	case it.run == s.Run || s.Run == "":
		it.as = s.Epoch
	}
	return it, true
}

func isBlank(line []byte) bool {
	for _, b := range line {
		if b != ' ' && b != '\t' && b != '\r' {
			return false
		}
	}
	return true
}

// answer does a batch and writes an answer to each line of it. It gives the
// code of the first that was not accepted.
func (s *Server) answer(ctx context.Context, batch []item, w *bufio.Writer) (code int) {
	if err := s.do(ctx, batch); err != nil {
		for i := range batch {
			if batch[i].err == nil {
				batch[i].err = err
			}
		}
	}
	for i := range batch {
		it := &batch[i]
		if it.err != nil && it.code == 0 {
			it.code = s.Code(it.err)
		}
		if code == 0 {
			code = it.code
		}
		it.write(w)
	}
	return code
}

// do does what a batch asks for, in order.
func (s *Server) do(ctx context.Context, batch []item) error {
	var todo []*item
	for i := range batch {
		if batch[i].err == nil {
			todo = append(todo, &batch[i])
		}
	}
	each := func(s *store.Store) error {
		for _, it := range todo {
			// A run that was never taken over is in epoch 1: who names none is
			// fenced from the first takeover on.
			it.ack, it.err = it.do(ctx, s.Run(it.run, max(it.as, 1)))
		}
		return nil
	}
	switch len(todo) {
	case 0:
		return nil
	case 1:
		return each(s.Store)
	}
	return s.Store.Together(ctx, each)
}

// write writes the answer. What goes wrong shows when w is flushed.
func (it *item) write(w *bufio.Writer) {
	line := w.AvailableBuffer()
	if it.err == nil {
		line = strconv.AppendInt(append(line, `{"ok":true,"event":`...), it.ack.Event, 10)
		line = strconv.AppendInt(append(line, `,"position":`...), it.ack.Position, 10)
	} else {
		line = strconv.AppendInt(append(line, `{"ok":false,"code":`...), int64(it.code), 10)
		// A line may be long, and errors quote it. A string always has a form in JSON.
		said, _ := json.Marshal(store.KeptText(it.err.Error()))
		line = append(append(line, `,"error":`...), said...)
		line = strconv.AppendInt(append(line, `,"line":`...), int64(it.line), 10)
	}
	_, _ = w.Write(append(line, '}', '\n'))
}

// chunk is what one read gave.
type chunk struct {
	data []byte
	err  error
}

// readAhead reads while others work, a few chunks ahead at most, until ctx
// ends. The data of a chunk is handed back through free. What was read is in
// chunks before ctx is looked at again.
func readAhead(ctx context.Context, in io.Reader) (chunks chan chunk, free chan []byte) {
	const size, ahead = 64 << 10, 3
	chunks, free = make(chan chunk, ahead), make(chan []byte, ahead)
	for range ahead {
		free <- make([]byte, size)
	}
	go func() {
		for ctx.Err() == nil {
			var c chunk
			select {
			case <-ctx.Done():
				return
			case buf := <-free:
				n, err := in.Read(buf[:size])
				c = chunk{buf[:n], err}
			}
			if chunks <- c; c.err != nil {
				return
			}
		}
	}()
	return chunks, free
}
