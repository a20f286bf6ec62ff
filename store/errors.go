package store

import "errors"

// What a worker can act on.
var (
	// ErrFenced: the epoch named is not the one that holds the run. This worker
	// has been replaced and must stop; nothing of the call was written.
	ErrFenced = errors.New("fenced: another epoch holds this run, this worker was replaced and must stop")
	// ErrRefused: a rule of the trail forbids the write. The text around it is
	// the rule; trying again gives the same answer.
	ErrRefused = errors.New("refused by a rule of the trail")
	// ErrNoRun: no run of that id is in the trail.
	ErrNoRun = errors.New("no such run")
	// ErrNoStep: there is no step to claim, or none of that name in a run whose
	// total is closed.
	ErrNoStep = errors.New("no such step")
	// ErrOutOfRotation: the run is degraded or worse, so no new work is handed
	// out. It is for whoever judges a run before a claim; Claim does not judge.
	ErrOutOfRotation = errors.New("the run is out of rotation")
	// ErrExists: the run id is already used.
	ErrExists = errors.New("a run id is used once: choose another id, or take the run over to continue it")
	// ErrNoDelivery: none of the deliveries named is in the outbox, or they are
	// over: what was delivered is neither sent again nor dropped.
	ErrNoDelivery = errors.New("no such delivery waits or was given up")
)

// What the machine is to blame for. Trying again later may help.
var (
	// ErrBusy: another writer held the database past the busy timeout.
	ErrBusy = errors.New("the trail is busy")
	// ErrNoSpace: the disk, or the file size allowed, is full. Nothing was written.
	ErrNoSpace = errors.New("no space left for the trail")
	// ErrCannotCreate: the database file or its directory cannot be made.
	ErrCannotCreate = errors.New("cannot create the trail")
	// ErrUnavailable: the database cannot be used for writing: it lies on a
	// network file system, its disk fails, or it cannot be read (see BlindError).
	ErrUnavailable = errors.New("the trail is unavailable")
	// ErrClosed: the Store or Reader was closed.
	ErrClosed = errors.New("the trail was closed")
)

// The reasons of a BlindError.
const (
	BlindMissing    = "missing"      // no file under the path
	BlindEmpty      = "empty"        // nothing is in it: a file of zero bytes, a database without tables
	BlindNotATrail  = "not-a-trail"  // a directory, FIFO, text, another program's database, one of two names of a file
	BlindCorrupt    = "corrupt"      // SQLite finds the file malformed
	BlindReplaced   = "replaced"     // another file lies under the path than the one first opened
	BlindPermission = "permission"   // this user may not read it
	BlindLocked     = "locked"       // another process held it past the deadline
	BlindNewer      = "newer-schema" // written by a newer progmon
	BlindOlder      = "older-schema" // written by an older progmon, and not migrated
	BlindHung       = "hung"         // the file system does not answer
	BlindNoTrail    = "no-trail"     // a named run or root that is not there
)

// BlindError says that a trail cannot be read, and why. It is an
// ErrUnavailable for whoever wants to write.
type BlindError struct {
	Reason string // one of the Blind… constants
	Detail string // what was seen, for a person
}

// Error is the reason and what was seen.
func (b *BlindError) Error() string {
	if b.Detail == "" {
		return "blind: " + b.Reason
	}
	return "blind: " + b.Reason + ": " + b.Detail
}

// Is makes every BlindError an ErrUnavailable.
func (b *BlindError) Is(target error) bool { return target == ErrUnavailable }

// refusal is an error of a kind, in the words of the rule that made it.
type refusal struct {
	kind     error
	sentence string
}

func (r *refusal) Error() string { return r.sentence }
func (r *refusal) Unwrap() error { return r.kind }
