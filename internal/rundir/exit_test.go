package rundir

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
)

func TestParseExit(t *testing.T) {
	for _, row := range []struct {
		claim, content string
		want           Exit
		bad            bool
	}{
		{"a number", "0", Exit{}, false},
		{"with a newline", "3\n", Exit{Code: 3}, false},
		{"with a newline of DOS", "137\r\n", Exit{Code: 137}, false},
		{"with blanks around", " \t255 \n", Exit{Code: 255}, false},
		{"with zeros before", "007", Exit{Code: 7}, false},
		{"beyond a byte", "256", Exit{}, true},
		{"far beyond", "99999999999999999999", Exit{}, true},
		{"negative", "-1", Exit{}, true},
		{"with a sign", "+1", Exit{}, true},
		{"two numbers", "0 0", Exit{}, true},
		{"two lines", "0\n1\n", Exit{}, true},
		{"no number", "ok", Exit{}, true},
		{"hexadecimal", "0x1", Exit{}, true},
		{"a fraction", "1.0", Exit{}, true},
		{"an Arabic digit", "٣", Exit{}, true},
		{"a NUL after it", "0\x00", Exit{}, true},
		{"NULs", "\x00\x00\x00\x00", Exit{}, true},
		{"a byte order mark", "\ufeff0", Exit{}, true},
		{"a string", `"0"`, Exit{}, true},
		{"a list", `[0]`, Exit{}, true},
		{"null", `null`, Exit{}, true},
		{"a code", `{"code":3,"epoch":2,"asked_by":"user","ended_ms":1500}`, Exit{Code: 3, Epoch: 2, AskedBy: "user", Ended: time.UnixMilli(1500).UTC()}, false},
		{"a signal", "{\"signal\":9,\"epoch\":1}\r\n", Exit{Signal: 9, Epoch: 1}, false},
		{"a spawn error", `{"spawn":"no such file","epoch":1}`, Exit{Spawn: "no such file", Epoch: 1}, false},
		{"keys to come", `{"code":0,"core_dumped":true}`, Exit{}, false},
		{"who asked is news to us", `{"code":0,"asked_by":"somebody"}`, Exit{}, false},
		{"nothing said", `{}`, Exit{}, true},
		{"nothing but an epoch", `{"epoch":1}`, Exit{}, true},
		{"code and signal", `{"code":0,"signal":9}`, Exit{}, true},
		{"a code twice", `{"code":1,"code":0}`, Exit{}, true},
		{"a code twice, once in capitals", `{"code":1,"CODE":0}`, Exit{}, true},
		{"a code in other letters", `{"Code":0}`, Exit{}, true},
		{"an epoch in other letters", `{"code":0,"EPOCH":2}`, Exit{}, true},
		{"a code that is text", `{"code":"0"}`, Exit{}, true},
		{"a code beyond a byte", `{"code":256}`, Exit{}, true},
		{"a code below 0", `{"code":-1}`, Exit{}, true},
		{"no signal", `{"signal":0}`, Exit{}, true},
		{"a signal that is none", `{"signal":128}`, Exit{}, true},
		{"an empty spawn error", `{"spawn":""}`, Exit{}, true},
		{"an epoch below 0", `{"code":0,"epoch":-1}`, Exit{}, true},
		{"cut short", `{"code":0,"epo`, Exit{}, true},
		{"something after it", `{"code":0}{"code":1}`, Exit{}, true},
		{"a NUL after the object", "{\"code\":0}\x00", Exit{}, true},
	} {
		got, err := parseExit([]byte(row.content))
		if row.bad != (err != nil) || errors.Is(err, ErrEmpty) || !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: parseExit(%q) = %+v, %v, want %+v, an error: %v", row.claim, row.content, got, err, row.want, row.bad)
		}
	}
	for _, empty := range []string{"", "\n", " \r\n"} {
		if _, err := parseExit([]byte(empty)); !errors.Is(err, ErrEmpty) {
			t.Errorf("parseExit(%q) = %v, want ErrEmpty", empty, err)
		}
	}
}

// Whatever is written is read back, and fits.
func TestExitRecordsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Exit{
			Epoch:   rapid.Int64Min(1).Draw(t, "epoch"),
			AskedBy: rapid.SampledFrom([]string{"", "worker", "user", "supervisor"}).Draw(t, "asked"),
			Ended:   time.UnixMilli(rapid.Int64Range(1, 1<<45).Draw(t, "ended")).UTC(),
		}
		switch rapid.SampledFrom([]string{"code", "signal", "spawn"}).Draw(t, "kind") {
		case "code":
			e.Code = rapid.IntRange(0, 255).Draw(t, "code")
		case "signal":
			e.Signal = rapid.IntRange(1, 127).Draw(t, "signal")
		case "spawn":
			e.Spawn = rapid.StringN(1, -1, 3000).Draw(t, "spawn")
		}
		total := rapid.IntRange(0, 300).Draw(t, "left")
		for i := range total {
			e.Left = append(e.Left, Leftover{i + 1, rapid.StringN(0, 20, -1).Draw(t, "command")})
		}
		line, err := e.encode()
		if err != nil || len(line) > maxRecord {
			t.Fatalf("encode(%+v) = %d bytes, %v", e, len(line), err)
		}
		got, err := parseExit(line)
		if err != nil {
			t.Fatalf("parseExit(%q) = %v", line, err)
		}
		if len(got.Left)+got.LeftOut != total {
			t.Fatalf("%d + %d processes left, want %d", len(got.Left), got.LeftOut, total)
		}
		if !strings.HasPrefix(e.Spawn, got.Spawn) || got.Spawn == "" && e.Spawn != "" {
			t.Fatalf("spawn = %q, want %q", got.Spawn, e.Spawn)
		}
		got.Spawn, e.Spawn, got.Left, e.Left, got.LeftOut = "", "", nil, nil, 0
		if !reflect.DeepEqual(got, e) {
			t.Fatalf("read %+v, want %+v", got, e)
		}
	})
}

func TestExitForTheJudge(t *testing.T) {
	for _, row := range []struct {
		in   Exit
		want cursor.Exit
	}{
		{Exit{Code: 3}, cursor.Exit{Known: true, Code: 3}},
		{Exit{Signal: 9, AskedBy: "supervisor"}, cursor.Exit{Known: true, Signal: 9, AskedBy: "supervisor"}},
		{Exit{Spawn: "no such file"}, cursor.Exit{Known: true, Reason: "spawn"}},
	} {
		if got := row.in.Cursor(); got != row.want {
			t.Errorf("%+v.Cursor() = %+v, want %+v", row.in, got, row.want)
		}
	}
}
