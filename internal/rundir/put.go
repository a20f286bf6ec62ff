package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// put writes a file whole and durably, with the errors of classify.
func (d *Dir) put(name string, content []byte) error {
	err := put(d.dir, name, content)
	if err == nil {
		err = d.sync()
	}
	return classify("write", d.File(name), err)
}

// lay makes a file that need not outlast the machine. There must be none.
func (d *Dir) lay(name string, content []byte) error {
	f, err := d.dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return classify("write", d.File(name), err)
	}
	if err = f.Chmod(0o600); err == nil { // the umask may have taken something
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, d.dir.Remove(name))
	}
	return classify("write", d.File(name), err)
}

// putJSON writes a record of one line.
func (d *Dir) putJSON(name string, record any) error {
	line, err := lineOf(record)
	if err != nil {
		return fmt.Errorf("write %s: %w", d.File(name), err)
	}
	return d.put(name, line)
}

// lineOf is a record as a line of JSON that leaves text as it is.
func lineOf(record any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(record); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readJSON reads a record of at most maxRecord bytes into record, with the
// errors of read and ErrEmpty.
func (r *Reader) readJSON(name string, record any) error {
	content, _, err := r.read(name, maxRecord)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return fmt.Errorf("%s: %w", r.File(name), ErrEmpty)
	}
	if err := json.Unmarshal(content, record); err != nil {
		return &MalformedError{name, fmt.Sprintf("%.80q: %v", content, err)}
	}
	return nil
}
