package rundir

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// text is a string of any bytes. In JSON it is a string, or where it is no
// UTF-8 an object: {"base64":"…"}.
type text string

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) {
	if !utf8.ValidString(string(t)) {
		return lineOf(map[string][]byte{"base64": []byte(t)})
	}
	return lineOf(string(t))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *text) UnmarshalJSON(content []byte) error {
	if !bytes.HasPrefix(content, []byte("{")) {
		return json.Unmarshal(content, (*string)(t))
	}
	var o struct {
		Base64 *[]byte `json:"base64"`
	}
	if err := json.Unmarshal(content, &o); err != nil {
		return err
	}
	if o.Base64 == nil {
		return fmt.Errorf("%.40q has no base64", content)
	}
	*t = text(*o.Base64)
	return nil
}

func toText(in []string) []text {
	out := make([]text, len(in))
	for i, s := range in {
		out[i] = text(s)
	}
	return out
}

func fromText(in []text) []string {
	out := make([]string, len(in))
	for i, t := range in {
		out[i] = string(t)
	}
	return out
}
