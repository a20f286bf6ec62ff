package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// declaration is what a run was declared with: by its row, and by the row of
// the log that opened it.
type declaration struct {
	Total   value           `json:"-"`
	Open    int64           `json:"-"`
	Family  string          `json:"family"`
	Process int64           `json:"process"`
	Policy  json.RawMessage `json:"policy"`
}

// differs says in what the run's row is not what e, the row of the log that
// opened the run, says.
func (d *declaration) differs(e *logRow) (all []string) {
	was := declaration{Total: value(nil), Open: flag(e.Total.Open)}
	if e.Total.Known {
		was.Total = e.Total.N
	}
	if err := json.Unmarshal([]byte(e.data), &was); err != nil {
		return []string{"the row that opened it does not say what was declared"}
	}
	for _, each := range []struct {
		name     string
		is, said any
	}{
		{"total", d.Total, was.Total}, {"open", d.Open, was.Open}, {"family", d.Family, was.Family}, {"process", d.Process, was.Process},
	} {
		if each.is != each.said {
			all = append(all, fmt.Sprintf("its %s is %v, and was declared as %v", each.name, orUnknown(each.is), orUnknown(each.said)))
		}
	}
	if !sameJSON(d.Policy, was.Policy) {
		all = append(all, "the thresholds recorded with it are not those that it was declared with")
	}
	return all
}

func orUnknown(v any) any {
	if v == nil {
		return "unknown"
	}
	return v
}

// sameJSON reports whether two texts are one value. No text is null.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var of [2]any
	for i, text := range [][]byte{a, b} {
		if len(text) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if d.Decode(&of[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(of[0], of[1])
}
