package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// Wrapper is the parent of the worker of one run. Fill in the exported fields,
// then call Run once.
type Wrapper struct {
	Dir      *rundir.Dir    // of the run, just made; the caller closes it
	DB       string         // the trail, an absolute path
	Declared store.Declared // the run, with its id; Process is set by Run
	Policy   policy.Policy  // in force for the run
	Command  Command
	Words    []string // the wrapper's own words, kept for whoever starts it again

	Stdin      *os.File       // what the command reads; nil is nothing at all
	Tee        io.Writer      // gets a copy of what the command writes; may be nil
	PingSignal syscall.Signal // sent to the group with a ping; 0 is none
	Tell       func(string)   // says something to people, a line at a time
	// Interval is between looks and heartbeats; 0 makes one of the policy.
	Interval time.Duration
	// After is the epoch whose wrapper has vanished and that this one follows;
	// 0 begins the run.
	After int64

	teller  teller
	clerk   *clerk
	self    presence.Identity
	signals chan os.Signal
	chld    chan os.Signal
	asks    chan struct{} // somebody may have asked for the end
	log     *os.File
	null    *os.File
	helpers helpers
	evidence
}

// End is how a run went.
type End struct {
	Code  int   // the exit status of the last epoch, as a shell shows it
	Epoch int64 // the last epoch
}

// NotStartedError says that no command was started, because what must be
// durable before that could not be written.
type NotStartedError struct{ Err error }

// Error says why.
func (e *NotStartedError) Error() string { return "the command was not started: " + e.Err.Error() }

// Unwrap gives why.
func (e *NotStartedError) Unwrap() error { return e.Err }

// startPatience is how long a trail that cannot be written holds the command
// up: it would find no run to write its steps to.
const startPatience = 3 * time.Second

// Run starts the command, stays with it until its end, and starts it again
// where the policy says so. It returns a *SpawnError when the command could
// not be started, a *NotStartedError when the files could not be written, and
// the store's error when the trail refuses the run, and what Continuable
// returns when there is nobody to follow; in these cases nothing runs. End.Code is then what a shell would show.
func (w *Wrapper) Run(ctx context.Context) (end End, err error) {
	w.Declared.Process = true
	w.teller.tell = w.Tell
	if w.Interval == 0 {
		w.Interval = interval(w.Policy)
	}
	w.listen()
	defer w.deafen()
	if err := adoptOrphans(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		w.teller.say("orphans of the command cannot be seen: %v", err)
	}
	w.clerk = newClerk(w.DB, w.Declared.Run, w.Interval, w.teller.say)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	left := make(chan int, 1)
	go func() { left <- w.clerk.work(working) }()
	defer func() {
		close(w.clerk.rows)
		patience := time.AfterFunc(w.clerk.patience(), stop)
		defer patience.Stop()
		if n := <-left; n > 0 {
			w.teller.say("%d rows could not be written to %q; %s has how it ended", n, w.DB, w.Dir.File(rundir.ExitFile))
		}
	}()
	return w.run()
}

// interval is between looks: several to an idle window, so that a nudge comes
// in time.
func interval(p policy.Policy) time.Duration {
	return min(max(p.IdleWindow/8, 100*time.Millisecond), 5*time.Second)
}

// run is Run, with the clerk at work.
func (w *Wrapper) run() (End, error) {
	if err := w.hold(); err != nil {
		return End{Code: 125}, err
	}
	var declared chan error
	if w.After == 0 {
		declared = w.declare()
	}
	if err := w.prepare(); err != nil {
		if w.After == 0 {
			w.finish(notStarted(1, err))
		}
		return End{Code: 125}, &NotStartedError{err}
	}
	defer w.log.Close()
	defer w.null.Close()
	stopped := w.watchDir()
	defer stopped()
	if w.Tee != nil {
		defer w.tee()()
	}
	next := sequel{epoch: 1}
	if w.After > 0 {
		var err error
		if next, err = w.follow(); err != nil {
			return End{Code: 125}, err
		}
		if !w.pause(next) {
			return w.halt(next), nil
		}
	}
	return w.epochs(next, declared)
}

// hold makes sure that no other wrapper of this machine has the run. Where that
// cannot be known, nobody is followed.
func (w *Wrapper) hold() error {
	err := w.Dir.Hold()
	if w.After == 0 && errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil && w.After == 0 {
		return &NotStartedError{err}
	}
	return err
}

// epochs runs the command in epoch after epoch. declared gets the trail's
// answer to the run; nil when the trail has it.
func (w *Wrapper) epochs(next sequel, declared chan error) (End, error) {
	for {
		k, err := w.ready(next)
		if err == nil && declared != nil {
			if err = w.await(declared); err != nil {
				k.child.abandon()
				return End{Code: 125}, err
			}
			declared = nil
		}
		if err == nil {
			err = k.start()
		}
		var exit rundir.Exit
		code := 0
		switch spawn := (*SpawnError)(nil); {
		case errors.As(err, &spawn):
			exit, code = notStarted(next.epoch, spawn.Err), spawn.Code()
		case err != nil:
			exit := notStarted(next.epoch, err)
			w.finish(exit)
			return End{Code: 125, Epoch: next.epoch}, errors.Join(err, w.record(exit))
		default:
			exit, code = k.stay()
		}
		if err := w.record(exit); err != nil {
			w.teller.say("the exit record could not be written: %v", err)
		}
		end := End{Code: code, Epoch: next.epoch}
		more, ok := w.conclude(exit, k)
		if !ok {
			return end, err
		}
		if next = more; !w.pause(next) {
			return w.halt(next), nil
		}
	}
}

// halt is for an epoch whose end was asked for before it had begun.
func (w *Wrapper) halt(next sequel) End {
	exit := rundir.Exit{Signal: int(syscall.SIGTERM), Epoch: next.epoch, AskedBy: "user", Ended: time.Now()}
	if err := w.record(exit); err != nil {
		w.teller.say("the exit record could not be written: %v", err)
	}
	w.finish(exit)
	return End{Code: 128 + int(syscall.SIGTERM), Epoch: next.epoch}
}

// notStarted is the record of an epoch that never had a command.
func notStarted(epoch int64, why error) rundir.Exit {
	return rundir.Exit{Spawn: why.Error(), Epoch: epoch, AskedBy: "worker", Ended: time.Now()}
}

// prepare opens what the child is given. The rest is written while the child
// is on its way to the gate.
func (w *Wrapper) prepare() (err error) {
	if w.self, err = presence.Self(); err != nil {
		return err
	}
	if w.log, err = w.Dir.OpenLog(); err != nil {
		return err
	}
	if w.null, err = os.Open(os.DevNull); err != nil {
		return errors.Join(err, w.log.Close())
	}
	return nil
}

func (w *Wrapper) beat() {
	if err := w.Dir.Beat(time.Now()); err != nil {
		w.teller.once("heartbeat", "the heartbeat could not be written: %v", err)
	}
}

// record writes the exit record, and what the command left behind.
func (w *Wrapper) record(exit rundir.Exit) error {
	err := w.Dir.WriteExit(exit)
	if errors.Is(err, rundir.ErrNotKept) {
		w.teller.say("%v", err)
		return nil
	}
	return err
}

// listen takes the signals that are the command's. What is ignored stays so,
// and the command inherits that.
func (w *Wrapper) listen() {
	w.signals, w.chld = make(chan os.Signal, 16), make(chan os.Signal, 1)
	w.asks = make(chan struct{}, 1)
	var ours []os.Signal
	for _, s := range forwarded {
		if !signal.Ignored(s) {
			ours = append(ours, s)
		}
	}
	if len(ours) > 0 {
		signal.Notify(w.signals, ours...)
	}
	notifyChildren(w.chld)
}

func (w *Wrapper) deafen() {
	signal.Stop(w.signals)
	signal.Stop(w.chld)
}

// ask queues a row without waiting. A queue that is full has been waiting for
// the trail for long, and what it loses can be told from the files.
func (w *Wrapper) ask(what string, do func(context.Context, *store.Store) error) {
	r := row{what: what, do: func(ctx context.Context, s *store.Store) error {
		if !w.clerk.open {
			return nil // the trail has refused the run
		}
		return do(ctx, s)
	}, done: make(chan error, 1)}
	select {
	case w.clerk.rows <- r:
		go func() {
			if err := <-r.done; err != nil {
				w.teller.say("the trail does not let us %s: %v", what, err)
			}
		}()
	default:
		w.teller.say("too many rows wait for the trail: cannot %s", what)
	}
}

// describe names processes for people: 71 sleep, 72 sh.
func describe(left []rundir.Leftover) string {
	var text string
	for i, p := range left {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("pid %d %q", p.PID, p.Command)
	}
	return text
}
