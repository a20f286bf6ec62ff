package supervise

import (
	"io"
	"os"
	"time"

	"github.com/progmon/progmon/internal/rundir"
)

// teeEvery is how often what the command wrote is looked for.
const teeEvery = 100 * time.Millisecond

// tee copies what the command writes from its log, and not on its way there:
// neither a slow terminal nor its end can hold the command up. The function it
// gives copies what is left and ends it.
func (w *Wrapper) tee() (stop func()) {
	f, _, err := w.Dir.ReadLog()
	if err != nil {
		w.teller.say("the log cannot be copied: %v", err)
		return func() {}
	}
	ending, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		defer f.Close()
		again := time.NewTicker(teeEvery)
		defer again.Stop()
		for {
			select {
			case <-ending:
				// What is written after the end is not the command's own.
				if info, err := os.Stat(w.Dir.File(rundir.LogFile)); err == nil {
					if at, err := f.Seek(0, io.SeekCurrent); err == nil && info.Size() > at {
						_, _ = io.CopyN(w.Tee, f, info.Size()-at)
					}
				}
				return
			case <-again.C:
			}
			if _, err := io.Copy(w.Tee, f); err != nil {
				return // the terminal is gone; the log is kept all the same
			}
		}
	}()
	return func() {
		close(ending)
		<-done
	}
}
