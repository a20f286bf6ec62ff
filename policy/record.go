package policy

import (
	"strconv"
	"time"
)

// MarshalJSON is the record form: what is kept with a run and with every
// signal. Each key of the policy file is there; durations are text as
// time.ParseDuration reads it ("5m0s"), and a max_runtime of null is none. From
// is not in it: a record says what, not whence.
func (p Policy) MarshalJSON() ([]byte, error) { return p.AppendRecord(nil), nil }

// AppendRecord appends the record form to b.
func (p Policy) AppendRecord(b []byte) []byte {
	open := byte('{')
	for _, key := range Keys() {
		b = append(b, open)
		open = ','
		b = append(append(append(b, '"'), key...), '"', ':')
		switch v := p.Field(key).(type) {
		case *time.Duration:
			if key == "max_runtime" && *v == 0 {
				b = append(b, "null"...)
				continue
			}
			b = append(append(append(b, '"'), v.String()...), '"')
		case *int64:
			b = strconv.AppendInt(b, *v, 10)
		case *float64:
			b = strconv.AppendFloat(b, *v, 'g', -1, 64)
		case *bool:
			b = strconv.AppendBool(b, *v)
		case *string:
			b = appendText(b, *v)
		}
	}
	return append(b, '}')
}

// appendText appends s as JSON text. It is for words of ours; what is no
// printable ASCII is left out.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b = append(b, c)
		}
	}
	return append(b, '"')
}
