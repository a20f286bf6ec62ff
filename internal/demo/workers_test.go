package demo

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

var players = []string{playGo, playPython, playBash, playStream}

// TestWorkersBehave: each worker, told to behave in each way, leaves the rows
// that a worker which really behaves like that would leave.
func TestWorkersBehave(t *testing.T) {
	ended := func(code int) func(cursor.Reading) bool {
		return func(r cursor.Reading) bool { return r.Exit.Known && r.Exit.Code == code }
	}
	alive := func(r cursor.Reading) bool { return !r.Exit.Known }
	for _, tt := range []struct {
		behave   string
		code     int   // of the process; 124 is a worker that --at-most ended
		position int64 // -1: any
		total    int64
		also     func(cursor.Reading) bool
	}{
		{"finish", 0, 4, 4, ended(0)},
		{"recover:2", 0, 4, 4, ended(0)},
		{"marks:3", 0, 4, 4, ended(0)},
		{"hold:2", 0, 4, 4, func(r cursor.Reading) bool { return ended(0)(r) && r.Spent >= 90*time.Millisecond }},
		{"budget:2", 0, 4, 4, func(r cursor.Reading) bool { return ended(0)(r) && !r.BudgetEnded.IsZero() }},
		{"crash:3", 3, 2, 4, ended(3)},
		{"quiet:3", 124, 2, 4, func(r cursor.Reading) bool { return alive(r) && r.Rows == 1 }},
		{"retry:3", 124, 2, 4, func(r cursor.Reading) bool { return alive(r) && r.Failed >= 2 && r.Rows > r.Failed }},
		{"never", 124, 0, 4, func(r cursor.Reading) bool { return alive(r) && r.Rows == 0 && !r.EpochMoved }},
		{"recede", 124, -1, -1, func(r cursor.Reading) bool {
			return alive(r) && r.Rising && r.Position >= 2 && r.Remaining() >= 4 && !r.Total.Open
		}},
	} {
		t.Run(tt.behave, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			workers := map[*part]*exec.Cmd{} // side by side, on one trail
			for i, player := range players {
				if s.players[player] == nil {
					continue // the log says that it is left out
				}
				p := part{run: fmt.Sprintf("run-%d", i), player: player, behave: tt.behave, files: 4, pace: 0.05, pause: 0.5}
				// Who ends by itself has all the time it needs on a busy
				// machine; who does not is ended here.
				atMost := 3 * time.Second
				if tt.code != 124 {
					atMost = time.Minute
				}
				worker, err := s.start(p, atMost)
				if err != nil {
					t.Fatal(err)
				}
				workers[&p] = worker
			}
			for p, worker := range workers {
				if code := wait(t, worker); code != tt.code {
					t.Errorf("%s by %s exits %d, want %d: %s", tt.behave, p.player, code, tt.code, logOf(t, s, *p))
					continue
				}
				r := reading(t, s.trail(), p.run)
				if tt.position >= 0 && (r.Position != tt.position || r.Total.N != tt.total) || !tt.also(r) {
					t.Errorf("%s by %s leaves %+v, want %d/%d", tt.behave, p.player, r, tt.position, tt.total)
				}
				if tt.code == 0 {
					checkResult(t, s, *p)
				}
			}
		})
	}
}

// TestWorkersMarkEachLine: a mark a line, each of them an advance.
func TestWorkersMarkEachLine(t *testing.T) {
	for _, player := range players {
		t.Run(player, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if s.players[player] == nil {
				return
			}
			p := part{run: "run", player: player, behave: "marks:1", files: 1, pace: 0.05}
			worker, err := s.start(p, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			if code := wait(t, worker); code != 0 {
				t.Fatalf("the worker exits %d: %s", code, logOf(t, s, p))
			}
			text, err := os.ReadFile(files(t, s)[0])
			if err != nil {
				t.Fatal(err)
			}
			marks := 0
			for _, e := range events(t, s.trail()) {
				if e.Kind == "step.marked" && e.Advance {
					marks++
				}
			}
			if lines := bytes.Count(text, []byte("\n")); marks != lines {
				t.Errorf("%d marks advance, want %d, one a line", marks, lines)
			}
		})
	}
}

// TestReplacedWorkerStops: a worker that was only slow comes back after another
// has taken its run over. Its write is refused, it stops with 77, and the run
// is done by its successor.
func TestReplacedWorkerStops(t *testing.T) {
	for _, player := range players {
		t.Run(player, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if s.players[player] == nil {
				return
			}
			slow := part{run: "run", player: player, behave: "recover:3", files: 4, pace: 0.05, pause: 10}
			worker, err := s.start(slow, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer endGroup(worker)
			waitFor(t, s.trail(), "run", func(r cursor.Reading) bool { return r.Position == 2 && r.Rows == 1 })

			next := part{run: "run", player: player, behave: "finish", files: 4, pace: 0.05}
			heir, err := s.start(next, 20*time.Second, "--resume")
			if err != nil {
				t.Fatal(err)
			}
			if err := heir.Wait(); err != nil {
				t.Fatalf("the successor: %v", err)
			}
			if code := wait(t, worker); code != 77 {
				t.Errorf("the replaced worker exits %d, want 77: %s", code, logOf(t, s, slow))
			}
			r := reading(t, s.trail(), "run")
			if r.Epoch != 2 || r.Position != 4 || !r.Exit.Known || r.Exit.Code != 0 {
				t.Errorf("the trail has %+v, want 4/4 by epoch 2", r)
			}
			checkResult(t, s, next)
		})
	}
}

// logOf is what the worker that plays p said.
func logOf(t *testing.T, s stage, p part) []byte {
	t.Helper()
	text, err := os.ReadFile(s.path(p.run + ".log"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wait(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

func files(t *testing.T, s stage) []string {
	t.Helper()
	all, err := filepath.Glob(s.path("testdata/corpus/*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(all)
	return all
}

// checkResult counts the files anew and compares.
func checkResult(t *testing.T, s stage, p part) {
	t.Helper()
	var want strings.Builder
	for _, file := range files(t, s)[:p.files] {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%s\t%d\t%d\t%d\t%x\n", filepath.Base(file),
			strings.Count(string(text), "\n"), len(strings.Fields(string(text))), len(text), sha256.Sum256(text))
	}
	got, err := os.ReadFile(filepath.Join(s.path(p.run), "result.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("result.tsv is\n%s, want\n%s", got, want.String())
	}
}

// reading is where a run stands now.
func reading(t *testing.T, trail, run string) cursor.Reading {
	t.Helper()
	r, err := store.OpenReader(t.Context(), trail)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	clock, err := r.Clock(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	readings, err := r.Readings(t.Context(), clock, []string{run})
	if err != nil {
		t.Fatal(err)
	}
	return readings[0]
}

// waitFor looks at a run until it stands where it should.
func waitFor(t *testing.T, trail, run string, there func(cursor.Reading) bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	for !there(reading(t, trail, run)) {
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("after 30s run %s has %+v", run, reading(t, trail, run))
		}
	}
}

// events is the whole log.
func events(t *testing.T, trail string) []store.Event {
	t.Helper()
	r, err := store.OpenReader(t.Context(), trail)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	all, err := r.Events(t.Context(), store.EventFilter{})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
