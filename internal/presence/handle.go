package presence

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Handle holds on to one process. Its number cannot come to mean another one
// between a look and a signal: Linux has pidfd_open(2) for that. Where there is
// none, Wait looks again and again, and Signal refuses.
type Handle struct {
	id Identity
	fd *os.File // a pidfd, nil where there is none
}

// Open takes hold of the process, and only then makes sure that it is the one
// meant. It returns ErrGone when that one is gone, and ErrUnknown when it
// cannot be seen from here. A bare number is pinned to whoever has it now.
func Open(id Identity) (*Handle, error) {
	if !numbersProcess(id.PID) {
		return nil, fmt.Errorf("open %v: %w", id, ErrUnknown)
	}
	fd, err := openProcess(id.PID)
	if err != nil {
		return nil, fmt.Errorf("open %v: %w", id, err)
	}
	h := &Handle{id: Pin(id), fd: fd}
	switch Look(h.id) {
	case cursor.Alive, cursor.Stopped:
		return h, nil
	case cursor.Gone:
		err = ErrGone
	default:
		err = ErrUnknown
	}
	if closing := h.Close(); closing != nil {
		return nil, fmt.Errorf("open %v: %w", id, closing)
	}
	return nil, fmt.Errorf("open %v: %w", id, err)
}

// Identity is whom the handle holds.
func (h *Handle) Identity() Identity { return h.id }

// Close lets go. It does nothing to the process.
func (h *Handle) Close() error {
	if h.fd == nil {
		return nil
	}
	return h.fd.Close()
}

// Ended reports whether the process is over; a zombie is. An error means that
// this cannot be said.
func (h *Handle) Ended() (bool, error) {
	if h.fd != nil {
		return ended(h.fd)
	}
	switch Look(h.id) {
	case cursor.Gone:
		return true, nil
	case cursor.Unknown:
		return false, fmt.Errorf("look at %v: %w", h.id, ErrUnknown)
	}
	return false, nil
}

// Wait returns nil as soon as the process is over, or the context's error. It
// does not reap: only a parent does. One goroutine at a time may wait.
func (h *Handle) Wait(ctx context.Context) error {
	if h.fd != nil {
		return wait(ctx, h.fd)
	}
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		if over, err := h.Ended(); over || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
}

// lookEvery is how often Wait looks where there is nothing to wait on.
const lookEvery = 100 * time.Millisecond

// Signal sends a signal to the process and to no other. It returns ErrGone when
// the process is over (a zombie too), fs.ErrPermission when it belongs to
// another user, and errors.ErrUnsupported where a process cannot be held.
func (h *Handle) Signal(sig syscall.Signal) error {
	if over, err := h.Ended(); err == nil && over {
		return fmt.Errorf("signal %v: %w", h.id, ErrGone)
	}
	if err := sendSignal(h.fd, sig); err != nil {
		return fmt.Errorf("signal %v: %w", h.id, err)
	}
	return nil
}
