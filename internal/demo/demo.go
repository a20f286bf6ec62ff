package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Options say how a demo is played.
type Options struct {
	Program  string        // the progmon to demonstrate: an absolute path
	GoWorker string        // the worker in Go, left out when it is not there
	Dir      string        // an existing, empty directory; it is left behind
	For      time.Duration // the length of it; lengths inside are in proportion
	Colour   bool          // w is a terminal
}

// ErrClaims means that watch did not say what the demo claims it would.
var ErrClaims = errors.New("what was said is not what happened")

// The times of the demo, in units.
const (
	length    = 30
	pictureAt = 9.25 // when every worker is in the state that is its own
	coverAt   = 23
	uncoverAt = 26
)

// play is a demo while it is played.
type play struct {
	stage
	w      io.Writer
	colour bool
	began  time.Time
	said   map[string]*heard
	answer *os.File // what watch --json writes
	rest   []byte   // the part of it that is no whole line yet

	pictured, covered, uncovered bool
	blind                        []string // reasons, one a look
	sighted                      bool
	statusExit                   int // of status, while the monitor was blind
}

// Run plays the demo, tells it on w, and ends after o.For by itself. It returns
// ErrClaims when what watch said is not what the workers did, and otherwise
// what kept the demo from being played. The directory is left with a trail in
// it; the workers are ended.
func Run(ctx context.Context, o Options, w io.Writer) error {
	p := &play{
		stage: stage{dir: o.Dir, program: o.Program, unit: o.For / length},
		w:     w, colour: o.Colour, said: map[string]*heard{},
	}
	if err := p.set(ctx, o.GoWorker); err != nil {
		return err
	}
	p.opening(o.For)
	if err := p.perform(ctx, o.For); err != nil {
		return err
	}
	return p.closing()
}

// perform starts everything, follows it until the time is over, and ends it.
func (p *play) perform(ctx context.Context, lasts time.Duration) error {
	until, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	p.began = time.Now()
	watch, err := p.startWatch(until, lasts)
	if err != nil {
		return err
	}
	workers, err := p.startWorkers(lasts)
	if err == nil {
		err = p.follow(ctx, until)
	}
	for _, worker := range workers {
		endGroup(worker)
		_ = worker.Wait() // some had ended, the others were ended now
	}
	cancel()
	_ = watch.Wait() // it was interrupted
	return errors.Join(err, p.listen(), p.answer.Close())
}

// startWorkers starts a worker for each part. Those that were started are
// returned with the error.
func (p *play) startWorkers(lasts time.Duration) (workers []*exec.Cmd, err error) {
	for _, part := range parts {
		worker, err := p.start(part, lasts+10*time.Second)
		if err != nil {
			return workers, err
		}
		workers = append(workers, worker)
	}
	return workers, nil
}

// follow tells what is said, and does what the demo does at its times.
func (p *play) follow(ctx, until context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-until.Done():
			return ctx.Err()
		case <-tick.C:
			if err := p.pass(ctx, time.Since(p.began)); err != nil {
				return err
			}
		}
	}
}

// pass reads what was said since the last one, and cuts the monitor's sight
// and gives it back when it is time for that.
func (p *play) pass(ctx context.Context, passed time.Duration) error {
	if err := p.listen(); err != nil {
		return err
	}
	switch {
	case !p.pictured && passed >= p.span(pictureAt):
		p.pictured = true
		p.note("progmon status, now:")
		return p.picture(ctx)
	case !p.covered && passed >= p.span(coverAt):
		p.covered = true
		p.note("The monitor's way to the trail is cut. The workers go on.")
		return p.cover()
	case p.covered && !p.uncovered && passed >= p.span(uncoverAt):
		p.uncovered = true
		_, code, err := p.status(ctx)
		if err != nil {
			return err
		}
		p.statusExit = code
		p.note("The way to the trail is mended. Meanwhile progmon status exited %d.", p.statusExit)
		return p.uncover()
	}
	return nil
}

// startWatch starts the monitor. Its answer is data and goes to a file of its
// own; when until ends it is interrupted, as a person would do.
func (p *play) startWatch(until context.Context, lasts time.Duration) (*exec.Cmd, error) {
	out, err := os.Create(p.path("watch.jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }() // watch has its own
	log, err := os.Create(p.path("watch.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	watch := exec.CommandContext(until, p.program, "watch", "--json",
		"--db", p.watched(), "--policy", p.policy(), "--interval", p.units(0.5),
		"--for", fmt.Sprintf("%dms", (lasts+10*time.Second).Milliseconds()))
	watch.Stdout, watch.Stderr, watch.Env = out, log, p.environ()
	watch.Cancel = func() error { return watch.Process.Signal(os.Interrupt) }
	watch.WaitDelay = 5 * time.Second
	inGroup(watch) // which a Ctrl-C at the terminal does not reach: we end it
	if p.answer, err = os.Open(out.Name()); err != nil {
		return nil, err
	}
	if err := watch.Start(); err != nil {
		return nil, fmt.Errorf("start watch: %w", err)
	}
	return watch, nil
}

// status is what status prints, and its exit code.
func (p *play) status(ctx context.Context) (answer []byte, code int, err error) {
	cmd := exec.CommandContext(ctx, p.program, "status", "--all", "--db", p.watched())
	cmd.Env = p.environ()
	answer, err = cmd.Output()
	if cmd.ProcessState == nil {
		return nil, 0, fmt.Errorf("run status: %w", err)
	}
	return answer, cmd.ProcessState.ExitCode(), nil
}

// picture shows what status says of everybody at one moment.
func (p *play) picture(ctx context.Context) error {
	answer, _, err := p.status(ctx)
	for line := range strings.Lines(string(answer)) {
		p.printf("%s\n", strings.TrimRight("        "+line, " \n"))
	}
	p.printf("\n")
	return err
}

// listen reads the whole lines that watch has written since the last time.
func (p *play) listen() error {
	more, err := io.ReadAll(p.answer)
	if err != nil {
		return fmt.Errorf("read what watch said: %w", err)
	}
	lines := bytes.Split(append(p.rest, more...), []byte("\n"))
	p.rest = lines[len(lines)-1]
	var batch []line
	for _, text := range lines[:len(lines)-1] {
		l, err := parseLine(text)
		if err != nil {
			return err
		}
		if p.hear(l) {
			batch = append(batch, l)
		}
	}
	for _, l := range fold(batch) {
		p.tell(l)
	}
	return nil
}

// hear keeps a line for the closing table. It is false for a line that is not
// worth telling.
func (p *play) hear(l line) bool {
	h := p.said[l.Run]
	if h == nil {
		h = &heard{}
		p.said[l.Run] = h
	}
	switch l.Type {
	case "verdict":
		h.verdicts = append(h.verdicts, l.verdict())
		return l.State != "starting" // it is in the table at the end
	case "signal":
		h.signals = append(h.signals, l.Signal)
	case "blind":
		p.blind = append(p.blind, l.Reason)
	case "sighted":
		p.sighted = true
	default:
		return false
	}
	return true
}

// tell writes a line of the demo: when, who, in a word, and in full.
func (p *play) tell(l line) {
	word := fmt.Sprintf("%-8s", l.word())
	if p.colour {
		word = paint(word)
	}
	detail := strings.ReplaceAll(l.Detail, p.dir+string(filepath.Separator), "")
	if len(l.told) > 0 {
		detail = strings.TrimSpace(detail + "  [signal: " + list(l.told) + "]")
	}
	text := fmt.Sprintf("%5.1fs  %-8s %s %-23s %6s  %s", time.Since(p.began).Seconds(), l.Run, word, l.verdict(), l.at(), detail)
	_, _ = fmt.Fprintln(p.w, strings.TrimRight(text, " "))
}
