package supervise

import (
	"testing"
	"time"

	"github.com/progmon/progmon/internal/rundir"
)

// Requests are heard at once, those too that came before the directory was
// watched.
func TestRequestsAreHeard(t *testing.T) {
	dir, err := rundir.Create(t.TempDir(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	w := &Wrapper{Dir: dir, asks: make(chan struct{}, 1)}
	stop := w.watchDir()
	defer stop()
	for _, when := range []string{"before the watch", "during the watch"} {
		if err := dir.RequestStop(rundir.Stop{By: "user"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-w.asks:
		case <-time.After(10 * time.Second):
			t.Fatalf("a request %s is not heard", when)
		}
	}
}

// A run that is over at once has never been watched: to let go of a watch
// takes the kernel longer than such a run.
func TestAShortRunIsNotWatched(t *testing.T) {
	w := &Wrapper{asks: make(chan struct{}, 1)} // without a directory to watch
	w.watchDir()()
	if len(w.asks) > 0 {
		t.Error("a run that is over is watched")
	}
}
