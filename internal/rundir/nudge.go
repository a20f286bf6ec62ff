package rundir

import "time"

// Nudge is worker.ping or worker.wrapup: what the worker is told, should it
// care to look.
type Nudge struct {
	Epoch  int64  `json:"epoch"`
	Since  int64  `json:"since,omitempty"`  // the episode, for a ping
	Reason string `json:"reason,omitempty"` // the verdict, or what is running out
	AtMS   int64  `json:"at_ms"`
}

// Ping tells the worker that it has not advanced for idle_window.
func (d *Dir) Ping(n Nudge) error { return d.nudge(PingFile, n) }

// Wrapup tells the worker that its time is running out.
func (d *Dir) Wrapup(n Nudge) error { return d.nudge(WrapupFile, n) }

func (d *Dir) nudge(name string, n Nudge) error {
	n.Reason = clip(n.Reason, 1024)
	return d.putJSON(name, n)
}

// ReadPing reads the last ping. It returns ErrAbsent, ErrEmpty, a
// MalformedError, or why it cannot be read.
func (r *Reader) ReadPing() (Nudge, error) {
	var n Nudge
	err := r.readJSON(PingFile, &n)
	return n, err
}

// ReadWrapup reads the request to wrap up, with the errors of ReadPing.
func (r *Reader) ReadWrapup() (Nudge, error) {
	var n Nudge
	err := r.readJSON(WrapupFile, &n)
	return n, err
}

// Stop is worker.stop: somebody asks the wrapper to end its command. Only the
// wrapper, the command's parent, signals it.
type Stop struct {
	Epoch   int64  `json:"epoch,omitempty"`    // whom it is for; 0 is whoever runs
	By      string `json:"by,omitempty"`       // user or supervisor
	Reason  string `json:"reason,omitempty"`   // untrusted text
	GraceMS int64  `json:"grace_ms,omitempty"` // from TERM to KILL; 0 is kill_grace
	AtMS    int64  `json:"at_ms"`
}

// Grace is from TERM to KILL; 0 leaves it to the policy.
func (s Stop) Grace() time.Duration { return time.Duration(s.GraceMS) * time.Millisecond }

// RequestStop asks for the end. The last request counts.
func (d *Dir) RequestStop(s Stop) error {
	s.Reason = clip(s.Reason, 1024)
	return d.putJSON(StopFile, s)
}

// ReadStop reads the request, with the errors of ReadPing; it costs one system
// call while there is none.
func (r *Reader) ReadStop() (Stop, error) {
	var s Stop
	err := r.readJSON(StopFile, &s)
	return s, err
}

// ClearStop takes the request away once it was answered.
func (d *Dir) ClearStop() error { return d.remove(StopFile) }
