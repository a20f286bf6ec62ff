package cursor

import (
	"errors"
	"time"
)

// The kinds of rows that move a cursor or begin and end what protects it. The
// log holds others (notes, signals, reviews); they move nothing.
const (
	RunStarted    = "run.started"
	RunTotal      = "run.total"
	RunTakeover   = "run.takeover"
	RunExited     = "run.exited"
	RunCancelled  = "run.cancelled"
	RunStopped    = "run.stopped"   // the process was stopped (SIGSTOP)
	RunContinued  = "run.continued" // and goes on (SIGCONT)
	StepBegun     = "step.begun"
	StepDone      = "step.done"
	StepFailed    = "step.failed"
	StepSkipped   = "step.skipped"
	StepCancelled = "step.cancelled"
	StepMarked    = "step.marked"
	Observed      = "cursor" // an observed absolute reading
	Held          = "hold"
	Resumed       = "resume"
	Refused       = "refused"
)

// Event is one row of the log as the fold needs it. A number that the row does
// not have is 0; the pairs that tell absence from zero say so.
type Event struct {
	ID     int64
	AtMS   int64 // the row's stamp: unix milliseconds of the writer's wall clock
	Kind   string
	Epoch  int64
	Source string // worker, wrapper, user or monitor; empty is worker

	Step     int64
	Amount   int64 // step.marked
	OutOf    int64 // step.marked
	ForMS    int64 // a hold's limit, a budget, or what a step used of its budget
	Position int64 // cursor
	Total    Total // run.started, run.total; of cursor, the observed total

	Code   int    // run.exited
	Signal int    // run.exited
	Reason string // run.exited: spawn or malformed; hold: why
	Who    string // who asked for the end

	// Awake is where the row lies on the awake clock. Who only wants the Standing
	// leaves it zero.
	Awake time.Time
}

// Terminal reports whether the kind ends a step for good.
func Terminal(kind string) bool {
	return kind == StepDone || kind == StepSkipped || kind == StepCancelled
}

// Why a row is refused. The sentences are those of the database.
var (
	ErrNoSuchRun      = errors.New("no such run: an event belongs to a run")
	ErrStartedTwice   = errors.New("a run starts once")
	ErrFenced         = errors.New("fenced: another epoch holds this run, this worker was replaced and must stop")
	ErrTakeover       = errors.New("a takeover raises the epoch by exactly one")
	ErrCancelled      = errors.New("a cancelled run takes no more steps")
	ErrBeyondTotal    = errors.New("a step beyond a closed total is refused")
	ErrTerminal       = errors.New("a terminal step never changes again")
	ErrMarkBounds     = errors.New("a mark is between 0 and its of")
	ErrMarkOf         = errors.New("the first mark of a step fixes what it counts to")
	ErrStepNumber     = errors.New("steps count from 1")
	ErrTotalBelow     = errors.New("a total never falls below the position")
	ErrTotalBelowStep = errors.New("a total never falls below a finished step")
	ErrNegative       = errors.New("a position and a total are not negative")
	ErrHoldLimit      = errors.New("a hold has a limit")
	ErrEndedTwice     = errors.New("an epoch ends once")
	ErrMonitorMoves   = errors.New("a monitor never moves a cursor")
)
