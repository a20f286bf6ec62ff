package supervise

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/internal/rundir"
)

// Why a run cannot be stopped.
var (
	// ErrNoWrapper: nobody wraps the run, or nobody who can be asked.
	ErrNoWrapper = errors.New("no wrapper can be asked")
	// ErrNotStopped: the wrapper was asked, and the run has not ended in time.
	ErrNotStopped = errors.New("the run has not ended")
)

// Stopped is how a run ended that was asked to.
type Stopped struct {
	Already   bool // it had ended before
	Exit      rundir.Exit
	Survivors []rundir.Leftover // who of it still lives
}

// Stop asks the wrapper of a run to end its command and waits until it has. It
// signals nobody itself. tell puts the request in the log too; it may be nil,
// and its error counts only when the request cannot be left in the directory
// either. wait bounds the waiting beyond the grace.
func Stop(ctx context.Context, dir *rundir.Dir, request rundir.Stop, wait time.Duration, tell func() error) (Stopped, error) {
	p, err := dir.ReadPID()
	if err != nil {
		if exit, exitErr := dir.ReadExit(); exitErr == nil {
			return Stopped{Already: true, Exit: exit}, nil
		}
		return Stopped{}, err
	}
	exit, exitErr := dir.ReadExitOf(p.Epoch)
	if p.Wrapper == nil {
		if exitErr == nil || presence.Look(p.Identity) == cursor.Gone {
			return Stopped{Already: true, Exit: exit}, nil
		}
		return Stopped{}, fmt.Errorf("%w: %v was started by somebody else", ErrNoWrapper, p.Identity)
	}
	switch presence.Look(*p.Wrapper) {
	case cursor.Gone:
		if exitErr == nil {
			return Stopped{Already: true, Exit: exit, Survivors: survivorsOf(p, exit)}, nil
		}
		if presence.Look(p.Identity) == cursor.Gone {
			return Stopped{Already: true, Survivors: survivorsOf(p, exit)}, nil
		}
		return Stopped{}, fmt.Errorf("%w: it is gone, and %v is nobody's child any more", ErrNoWrapper, p.Identity)
	case cursor.Unknown:
		return Stopped{}, fmt.Errorf("%w: it cannot be seen from here", ErrNoWrapper)
	}
	told := error(nil)
	if tell != nil {
		told = tell()
	}
	if err := dir.RequestStop(request); err != nil && (tell == nil || told != nil) {
		return Stopped{}, errors.Join(err, told)
	}
	stopped, err := awaitEnd(ctx, dir, request, wait)
	if tell != nil && told != nil {
		// The row of a run that has only just begun may not have been there yet.
		// The file did the work; that the log could not be told harms nothing.
		_ = tell()
	}
	return stopped, err
}

// awaitEnd looks until the run has ended.
func awaitEnd(ctx context.Context, dir *rundir.Dir, request rundir.Stop, wait time.Duration) (Stopped, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		if p, err := dir.ReadPID(); err == nil {
			exit, err := dir.ReadExitOf(p.Epoch)
			newest, newestErr := dir.ReadExit()
			gone := p.Wrapper == nil || presence.Look(*p.Wrapper) == cursor.Gone
			switch {
			case newestErr == nil && newest.Epoch > p.Epoch && newest.AskedBy == "user":
				// It was asked while it waited to begin again.
				return Stopped{Exit: newest, Survivors: survivorsOf(p, newest)}, nil
			case err == nil && (gone || exit.AskedBy == "user"):
				return Stopped{Exit: exit, Survivors: survivorsOf(p, exit)}, nil
			case gone:
				return Stopped{}, fmt.Errorf("%w: its wrapper has vanished", ErrNotStopped)
			}
			if _, err := dir.ReadStop(); errors.Is(err, rundir.ErrAbsent) {
				// An epoch began just then, and has swept the request away.
				if err := dir.RequestStop(request); err != nil {
					return Stopped{}, err
				}
			}
		}
		select {
		case <-ctx.Done():
			return Stopped{}, fmt.Errorf("%w: %w", ErrNotStopped, ctx.Err())
		case <-again.C:
		}
	}
}

// survivorsOf are who of the command's group, and of those it left behind,
// still lives under the same name.
func survivorsOf(p rundir.PID, exit rundir.Exit) []rundir.Leftover {
	table, err := processes()
	if err != nil {
		return exit.Left
	}
	left := map[int]string{}
	for _, l := range exit.Left {
		left[l.PID] = l.Command
	}
	var live []rundir.Leftover
	for _, each := range table {
		named, was := left[each.PID]
		if !each.dead() && was && named == each.Command {
			live = append(live, rundir.Leftover{PID: each.PID, Command: each.Command})
		}
	}
	return live
}
