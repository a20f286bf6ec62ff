package presence

import (
	"errors"
	"time"

	"github.com/progmon/progmon/cursor"
)

// Prober answers for processes. System asks this machine; whoever judges takes
// a Prober, so that a test can hide processes or end them.
type Prober interface {
	// Look is package function Look.
	Look(Identity) cursor.Presence
	// Pin is package function Pin.
	Pin(Identity) Identity
	// Started is package function Started.
	Started(Identity) (time.Time, bool)
}

// System is the Prober of this machine.
var System Prober = system{}

// Look says whether the process is there: Alive, Stopped, Gone or Unknown. It
// neither blocks nor disturbs the process.
func Look(id Identity) cursor.Presence { return look(system{}, id) }

// Pin makes a whole identity of a bare number whose process lives, so that the
// next look cannot take another process for it. It returns id itself when that
// is whole already or cannot be made so.
func Pin(id Identity) Identity { return pin(system{}, id) }

// Started is when a process that is there started, on the wall clock as it
// goes now. ok is false when that cannot be said.
func Started(id Identity) (at time.Time, ok bool) { return started(system{}, id) }

// Look implements Prober.
func (k system) Look(id Identity) cursor.Presence { return look(k, id) }

// Pin implements Prober.
func (k system) Pin(id Identity) Identity { return pin(k, id) }

// Started implements Prober.
func (k system) Started(id Identity) (time.Time, bool) { return started(k, id) }

func look(k kernel, id Identity) cursor.Presence {
	if !numbersProcess(id.PID) {
		return cursor.Unknown
	}
	here := k.place()
	switch {
	case id.Boot != "" && here.boot == "":
		return cursor.Unknown
	case id.Boot != "" && id.Boot != here.boot:
		// A boot id is random: the same one is the same kernel, whatever files
		// say. Another one is an earlier boot only if the machine is the same.
		if id.Machine != "" && id.Machine == here.machine {
			return cursor.Gone
		}
		return cursor.Unknown
	case id.Boot == "" && id.Machine != "" && id.Machine != here.machine:
		return cursor.Unknown
	case id.Namespace != "" && id.Namespace != here.namespace:
		return cursor.Unknown
	}
	st, err := k.stat(id.PID)
	switch {
	case err != nil && errors.Is(k.signal(id.PID), errNoProcess):
		return cursor.Gone
	case err != nil:
		return cursor.Unknown
	case isAnother(k, id, st):
		return cursor.Gone
	}
	switch st.state {
	case zombie:
		// The first thread of a process may end before the others do.
		if st.threads > 1 {
			return cursor.Alive
		}
		return cursor.Gone
	case stopped:
		return cursor.Stopped
	}
	return cursor.Alive
}

// noteSlack is by how much a process must have started after the number was
// noted to be another one: clocks are slewed, and file systems round.
const noteSlack = 10 * time.Second

// isAnother reports whether the number belongs to another process by now. For
// a bare number all there is to go by is the wall clock, and who steps that
// forward makes every process look younger than the files it wrote; so a note
// later than the process always counts for it.
func isAnother(k kernel, id Identity, st status) bool {
	if !id.Bare() {
		return id.Start != st.start
	}
	if !k.leads(id.PID) {
		return true
	}
	began, ok := k.started(st)
	return ok && !id.Noted.IsZero() && began.After(id.Noted.Add(noteSlack))
}

func pin(k kernel, id Identity) Identity {
	if !id.Bare() {
		return id
	}
	whole, err := of(k, id.PID)
	if err != nil || whole.Bare() {
		return id
	}
	// Look last: what is alive under the old name after the new one was made
	// is what the new one names.
	switch look(k, id) {
	case cursor.Alive, cursor.Stopped:
		return whole
	}
	return id
}

func started(k kernel, id Identity) (time.Time, bool) {
	st, err := k.stat(id.PID)
	if err != nil {
		return time.Time{}, false
	}
	switch look(k, id) {
	case cursor.Alive, cursor.Stopped:
		return k.started(st)
	}
	return time.Time{}, false
}
