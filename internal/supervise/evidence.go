package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Scene is what is to be captured: one worker, as it is now.
type Scene struct {
	PID     int             // of the worker, who leads its group; 0: there is none
	Dir     string          // where it works; empty: not known
	Verdict *policy.Verdict // nil: there is none
	Why     string          // a verdict's reason, or who asked
	Full    bool            // arguments of processes too, which may hold secrets
}

// The bounds of a capture.
const (
	captureFor  = 10 * time.Second // all of it
	gitFor      = 3 * time.Second  // each question to git
	sampleApart = 500 * time.Millisecond
	tailBytes   = 64 << 10
	gitBytes    = 256 << 10
)

// Capture keeps what can be seen of a scene in the next evidence-N of the run,
// touching nothing. It gives the directory's path. What could not be seen is
// said in the file that should have held it; an error means that the evidence
// could not be kept.
func Capture(ctx context.Context, dir *rundir.Dir, s Scene) (path string, err error) {
	return captureWith(ctx, dir, s, &helpers{})
}

func captureWith(ctx context.Context, dir *rundir.Dir, s Scene, h *helpers) (path string, err error) {
	ctx, cancel := context.WithTimeout(ctx, captureFor)
	defer cancel()
	c, err := dir.NewCapture()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	scene := sceneJSON{At: time.Now().UTC(), Why: s.Why, PID: s.PID, Dir: s.Dir}
	if s.Verdict != nil {
		scene.Verdict = watch.Evidence(s.Verdict)
		scene.Epoch, scene.Since = s.Verdict.Reading.Epoch, s.Verdict.Since
		scene.Reading = &s.Verdict.Reading
	}
	err = writeJSON(c, "verdict.json", scene)
	err = errors.Join(err, c.Write("log-tail.txt", logTail(&dir.Reader)))
	if s.PID > 0 {
		err = errors.Join(err, writeJSON(c, "processes.json", inspect(ctx, s)))
	}
	if s.Dir != "" {
		err = errors.Join(err, c.Write("git.txt", askGit(ctx, s.Dir, h)))
	}
	return c.Path(), err
}

// sceneJSON is verdict.json.
type sceneJSON struct {
	At      time.Time       `json:"at"`
	Why     string          `json:"why,omitempty"`
	PID     int             `json:"pid,omitempty"`
	Dir     string          `json:"dir,omitempty"`
	Epoch   int64           `json:"epoch,omitempty"`
	Since   int64           `json:"since,omitempty"`
	Verdict json.RawMessage `json:"verdict,omitempty"`
	Reading any             `json:"reading,omitempty"`
}

func writeJSON(c *rundir.Capture, name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return c.Write(name, append(text, '\n'))
}

// logTail is the end of the log, as it is.
func logTail(r *rundir.Reader) []byte {
	f, info, err := r.ReadLog()
	if err != nil {
		return []byte("progmon: " + err.Error() + "\n")
	}
	defer f.Close()
	tail, err := io.ReadAll(io.NewSectionReader(f, max(info.Size()-tailBytes, 0), tailBytes))
	if err != nil {
		return []byte("progmon: " + err.Error() + "\n")
	}
	return tail
}

// askGit says what was changed in the worker's directory and not committed.
func askGit(ctx context.Context, dir string, h *helpers) []byte {
	var text strings.Builder
	for _, question := range [][]string{
		{"status", "--porcelain", "--branch", "--untracked-files=normal"},
		{"diff", "--stat", "--no-ext-diff", "--no-textconv", "HEAD"},
	} {
		argv := append([]string{"git", "--no-optional-locks", "-c", "core.fsmonitor=false"}, question...)
		fmt.Fprintf(&text, "$ git %s\n", strings.Join(question, " "))
		limited, cancel := context.WithTimeout(ctx, gitFor)
		out, err := h.output(limited, dir, gitBytes, argv...)
		cancel()
		text.Write(out)
		if err != nil {
			fmt.Fprintf(&text, "progmon: git: %v\n", err)
		}
	}
	return []byte(text.String())
}

// evidence is the capture that is being made beside the loop, if one is.
type evidence struct {
	kept chan struct{} // gets something when it is over; nil when none is made
	stop context.CancelFunc
}

// over forgets a capture that is over.
func (e *evidence) over() {
	e.stop()
	e.kept = nil
}

// cancel gives a capture up and waits for the end of it.
func (e *evidence) cancel() {
	if e.kept != nil {
		e.stop()
		<-e.kept
		e.over()
	}
}

// capture begins to keep evidence of the present episode, beside the loop. One
// that is being made is enough.
func (k *worker) capture() {
	w := k.w
	if w.kept != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), captureFor)
	kept := make(chan struct{}, 1)
	w.kept, w.stop = kept, cancel
	v := k.verdict
	s := Scene{PID: k.child.pid, Dir: w.Command.Dir, Verdict: &v, Why: v.Says()}
	run, epoch := w.Declared.Run, k.epoch
	go func() {
		defer func() { kept <- struct{}{} }()
		path, err := captureWith(ctx, w.Dir, s, &w.helpers)
		if err != nil {
			w.teller.say("the evidence is not complete: %v", err)
		}
		if path == "" {
			return
		}
		w.ask("record the evidence", func(ctx context.Context, s *store.Store) error {
			_, err := s.Aside(ctx, run, store.Aside{Kind: "evidence", Reason: path,
				Data: fmt.Appendf(nil, `{"epoch":%d}`, epoch)})
			return err
		})
	}()
}
