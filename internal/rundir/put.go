package rundir

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// put writes a file whole and durably, with the errors of classify.
func (d *Dir) put(name string, content []byte) error {
	return classify("write", d.File(name), put(d.dir, name, content))
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
