package rundir

import (
	"errors"
	"os"
)

// ErrHeld: another wrapper has the directory.
var ErrHeld = errors.New("another wrapper has this run")

// Hold has the directory for one wrapper alone, until it is closed or the
// process ends, however that comes about: whoever gets hold of it knows that no
// wrapper of this machine has it. It returns ErrHeld while another one has it,
// and errors.ErrUnsupported where files cannot be locked. Reading and asking
// need no hold.
func (d *Dir) Hold() error {
	if d.held != nil {
		return nil
	}
	f, err := d.dir.Open(".")
	if err != nil {
		return classify("hold", d.path, err)
	}
	if err := lock(f); err != nil {
		return classify("hold", d.path, errors.Join(err, f.Close()))
	}
	d.held = f
	return nil
}

// Close lets go of the directory.
func (d *Dir) Close() error {
	var err error
	if d.held != nil {
		err, d.held = d.held.Close(), (*os.File)(nil)
	}
	return errors.Join(err, d.Reader.Close())
}
