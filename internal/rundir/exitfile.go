package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// exitOf is the name of the record of an epoch.
func exitOf(epoch int64) string { return ExitFile + "." + strconv.FormatInt(epoch, 10) }

// ReadExit reads the newest exit record. It returns ErrAbsent, ErrEmpty, a
// MalformedError, or why it cannot be read. It does not ask whose epoch it is.
func (r *Reader) ReadExit() (Exit, error) { return r.readExit(ExitFile) }

// ReadExitOf reads the exit record of an epoch that names it, whatever came
// after. The errors are those of ReadExit.
func (r *Reader) ReadExitOf(epoch int64) (Exit, error) {
	newest, err := r.readExit(ExitFile)
	if err == nil && newest.Epoch == epoch {
		return newest, nil
	}
	kept, keptErr := r.readExit(exitOf(epoch))
	switch {
	case keptErr == nil && kept.Epoch == epoch:
		return kept, nil
	case err == nil, errors.Is(keptErr, ErrAbsent) && errors.Is(err, ErrAbsent):
		return Exit{}, fmt.Errorf("%s: %w", r.File(exitOf(epoch)), ErrAbsent)
	}
	return Exit{}, err
}

func (r *Reader) readExit(name string) (Exit, error) {
	content, _, err := r.read(name, maxRecord)
	if err != nil {
		return Exit{}, err
	}
	e, err := parseExit(content)
	switch {
	case errors.Is(err, ErrEmpty):
		return Exit{}, fmt.Errorf("%s: %w", r.File(name), ErrEmpty)
	case err != nil:
		return Exit{}, &MalformedError{name, err.Error()}
	}
	return e, nil
}

// WriteExit writes the exit record of e.Epoch, which must be 1 or more, and
// gives the reserve up. When the disk is full the record goes into the room
// that the reserve has kept. It returns ErrExists when the epoch has a record:
// a last word is not taken back. ErrNotKept means that the record is durable
// as worker.exit, but that it or the one before has no copy under its epoch.
func (d *Dir) WriteExit(e Exit) error {
	if e.Epoch < 1 {
		return fmt.Errorf("write %s: epoch %d is below 1", d.File(ExitFile), e.Epoch)
	}
	line, err := e.encode()
	if err != nil {
		return fmt.Errorf("write %s: %w", d.File(ExitFile), err)
	}
	before, err := d.ReadExit()
	switch {
	case err == nil && before.Epoch == e.Epoch:
		return fmt.Errorf("write %s of epoch %d: %w", d.File(ExitFile), e.Epoch, ErrExists)
	case err == nil && before.Epoch > e.Epoch:
		return fmt.Errorf("write %s of epoch %d: %w: of epoch %d", d.File(ExitFile), e.Epoch, ErrExists, before.Epoch)
	}
	var kept error
	if err == nil && before.Epoch > 0 {
		kept = d.keep(before.Epoch)
	}
	err = classify("write", d.File(ExitFile), put(d.dir, ExitFile, line))
	if errors.Is(err, ErrNoSpace) {
		err = d.putInReserve(ExitFile, line)
	}
	if err != nil {
		return errors.Join(err, kept)
	}
	// One sync for the record's name and for that of its copy.
	kept = errors.Join(kept, d.keep(e.Epoch))
	return errors.Join(classify("sync", d.path, d.sync()), kept, d.Release())
}

// keep gives the newest record the name of its epoch too, which is durable when
// the directory has been synced. Another name for the same file takes no room;
// where there are no such names it is a copy.
func (d *Dir) keep(epoch int64) error {
	name := exitOf(epoch)
	err := d.dir.Link(ExitFile, name)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		err = nil
	default:
		var content []byte
		if content, _, err = d.read(ExitFile, maxRecord); err == nil {
			err = put(d.dir, name, content)
		}
	}
	if err != nil {
		return classify("keep", d.File(name), fmt.Errorf("%w: %w", ErrNotKept, err))
	}
	return nil
}

// Begin makes the directory ready for an epoch: the record of the epoch before
// is kept under its name, what is no record is put aside as worker.exit.old,
// nudges and requests of earlier epochs are removed, and so are temporary
// files that a killed writer left.
func (d *Dir) Begin(epoch int64) error {
	before, err := d.ReadExit()
	_, malformed := errors.AsType[*MalformedError](err)
	switch {
	case err == nil && before.Epoch >= epoch:
		return fmt.Errorf("begin epoch %d in %s: %w: the exit record of epoch %d", epoch, d.path, ErrExists, before.Epoch)
	case err == nil && before.Epoch > 0:
		err = d.keep(before.Epoch)
	case err == nil, malformed, errors.Is(err, ErrEmpty):
		// A directory cannot be replaced by a record, nor a record by a name
		// that is taken.
		err = classify("put aside", d.File(ExitFile), errors.Join(
			ignoreAbsent(d.dir.RemoveAll(ExitFile+".old")), d.dir.Rename(ExitFile, ExitFile+".old")))
	case errors.Is(err, ErrAbsent):
		err = nil
	}
	if err != nil {
		return err
	}
	stale, err := d.leavings()
	if err != nil {
		return classify("list", d.path, err)
	}
	return d.remove(append(stale, PingFile, WrapupFile, StopFile)...)
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// leavings are the temporary files of writers that were killed.
func (d *Dir) leavings() ([]string, error) {
	f, err := d.dir.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	var stale []string
	for _, name := range names {
		if isTemporary(name) {
			stale = append(stale, name)
		}
	}
	return stale, errors.Join(err, f.Close())
}

// isTemporary says that put made the name: a dot, one of our files, digits.
func isTemporary(name string) bool {
	if len(name) < 2 || name[0] != '.' {
		return false
	}
	for _, ours := range []string{ExitFile, PIDFile, CommandFile, PingFile, WrapupFile, StopFile, TaskFile, HeartbeatFile, reserveFile} {
		if len(name) > 1+len(ours) && name[1:1+len(ours)] == ours {
			return true
		}
	}
	return false
}
