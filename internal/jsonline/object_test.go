package jsonline

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{`{}`, ""},
		{" \t{ } \r\n", ""},
		{`{"kind":"step.done","step":7}`, `kind="step.done" step=7`},
		{` { "a" : [ 1 , {"b":"}"} ] , "c" : "\",{" } `, `a=[ 1 , {"b":"}"} ] c="\",{"`},
		{`{"a":{"a":1},"b":null,"c":-1.5e3,"d":true}`, `a={"a":1} b=null c=-1.5e3 d=true`},
		{`{"st\u0065p":1,"Step":2}`, `step=1 Step=2`},
		{`{"":0}`, `=0`},
	} {
		members, err := Members([]byte(row.line), nil)
		var got []string
		for _, m := range members {
			got = append(got, fmt.Sprintf("%s=%s", m.Name, m.Value))
		}
		if err != nil || strings.Join(got, " ") != row.want {
			t.Errorf("Members(%s) = %q, %v, want %s", row.line, got, err, row.want)
		}
	}
	for _, line := range []string{``, ` `, `null`, `7`, `[]`, `"{}"`, `{`, `{"a"}`, `{"a":1`, `{"a":1,}`, `{} {}`, `{}x`, `{a:1}`} {
		if members, err := Members([]byte(line), nil); !errors.Is(err, ErrNoObject) {
			t.Errorf("Members(%s) = %v, %v, want ErrNoObject", line, members, err)
		}
	}
	for _, line := range []string{`{"step":1,"step":2}`, `{"step":1,"a":[],"st\u0065p":1}`} {
		if members, err := Members([]byte(line), nil); err == nil || err.Error() != `the field "step" is there twice` {
			t.Errorf("Members(%s) = %v, %v, want that step is there twice", line, members, err)
		}
	}
}

// FuzzMembers: what is taken for members is what encoding/json finds, and no
// line is too much.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"b":[{"c":"\\\""}]}`, `{"a":"\u0000","a":2}`, `{"a`, `[{}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		members, err := Members(line, nil)
		var want map[string]json.RawMessage
		plain := json.Unmarshal(line, &want)
		if err != nil {
			if plain == nil && want != nil && errors.Is(err, ErrNoObject) {
				t.Fatalf("%q is an object", line)
			}
			return
		}
		if plain != nil || len(members) != len(want) {
			t.Fatalf("%q has %d members, want %d, %v", line, len(members), len(want), plain)
		}
		for _, m := range members {
			if !strings.Contains(m.Name, "\ufffd") && strings.ToValidUTF8(m.Name, "") == m.Name && string(want[m.Name]) != string(m.Value) {
				t.Fatalf("%q: %q is %s, want %s", line, m.Name, m.Value, want[m.Name])
			}
		}
	})
}
