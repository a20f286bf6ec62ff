package jsonline

import (
	"strings"
	"testing"
)

type inner struct {
	PID int `json:"pid"`
}

type outer struct {
	inner
	Epoch  int64 `json:"epoch,omitempty"`
	Hidden int   `json:"-"`
}

func TestNamesRead(t *testing.T) {
	names := NamesOf[outer]()
	if len(names) != 2 || !names["pid"] || !names["epoch"] {
		t.Errorf("NamesOf = %v, want pid and epoch", names)
	}
	var got outer
	if err := names.Read([]byte(` {"pid":7,"epoch":2,"to_come":{"pid":8}} `), &got); err != nil || got.PID != 7 || got.Epoch != 2 {
		t.Errorf("Read = %+v, %v", got, err)
	}
	for line, want := range map[string]string{
		`{"Epoch":2}`:                         `the field "Epoch" is called "epoch"`,
		`{"epoch":1,"EPOCH":2}`:               `the field "EPOCH" is called "epoch"`,
		`{"pid":1,"pid":1}`:                   `the field "pid" is there twice`,
		`{"pid":1}{"pid":1}`:                  ErrNoObject.Error(),
		`null`:                                ErrNoObject.Error(),
		`{"pid":"7"}`:                         "cannot unmarshal string",
		`{"` + long + `":1,"p\u0049d":1}`:     `the field "pId" is called "pid"`,
		`{"` + long + `":1,"` + long + `":1}`: `the field "` + long[:40] + `" is there twice`,
	} {
		if err := names.Read([]byte(line), new(outer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%.60s) = %v, want %s", line, err, want)
		}
	}
}

var long = strings.Repeat("x", 100_000)
