package replay

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
)

const started = `{"at":0,"run":"r1","kind":"run.started"}` + "\n"

func TestABrokenTapeIsSaidWithItsLine(t *testing.T) {
	for _, c := range []struct{ claim, line, want string }{
		{"no JSON", `at 5 step 7 done`, "this is no JSON object"},
		{"no object", `[1,2]`, "this is no JSON object"},
		{"null", `null`, "this is no JSON object"},
		{"more than one object", `{"at":1,"kind":"end"} {"at":2,"kind":"end"}`, "this is no JSON object"},
		{"a field that is there twice", `{"at":1,"run":"r1","kind":"step.done","step":1,"step":2}`, `the field "step" is there twice`},
		{"a field in capitals", `{"at":1,"run":"r1","kind":"step.done","Step":1}`, "step.done needs the field step"},
		{"an unknown kind", `{"at":1,"run":"r1","kind":"step.finished","step":1}`, `unknown kind "step.finished"`},
		{"a kind that would repaint the terminal", `{"at":1,"run":"r1","kind":"\u001b[2J"}`, `unknown kind "\x1b[2J"`},
		{"no kind", `{"at":1,"run":"r1"}`, "the field kind is missing"},
		{"no at", `{"run":"r1","kind":"resume"}`, "the field at is missing"},
		{"an at that is text", `{"at":"1","run":"r1","kind":"resume"}`, `at is a number of seconds, not "1"`},
		{"an at before the tape", `{"at":-1,"run":"r1","kind":"resume"}`, "at is between 0 and"},
		{"an at beyond any clock", `{"at":1e300,"run":"r1","kind":"resume"}`, "at is between 0 and"},
		{"no run", `{"at":1,"kind":"step.done","step":1}`, "step.done names its run"},
		{"a run that has not started", `{"at":1,"run":"r2","kind":"step.done","step":1}`, `run "r2" has not started`},
		{"a run that has started", started[:len(started)-1], `run "r1" has started already`},
		{"a run id that climbs", `{"at":1,"run":"../x","kind":"run.started"}`, `"../x" is no name of a run`},
		{"a family that is no name", `{"at":1,"run":"r2","kind":"run.started","family":"A"}`, `"A" is no name of a family`},
		{"an unknown field", `{"at":1,"run":"r1","kind":"step.done","step":1,"stpe":2,"x":3}`, "step.done has no field stpe, x"},
		{"a field of another kind", `{"at":1,"run":"r1","kind":"resume","for_s":1}`, "resume has no field for_s"},
		{"no step", `{"at":1,"run":"r1","kind":"step.done"}`, "step.done needs the field step"},
		{"step 0", `{"at":1,"run":"r1","kind":"step.done","step":0}`, "step is at least 1, not 0"},
		{"half a step", `{"at":1,"run":"r1","kind":"step.done","step":1.5}`, "step is a whole number, not 1.5"},
		{"a step that is no number", `{"at":1,"run":"r1","kind":"step.done","step":"deploy"}`, `step is a whole number`},
		{"a mark of nothing", `{"at":1,"run":"r1","kind":"step.marked","step":1,"amount":0,"of":0}`, "of is at least 1"},
		{"a mark without of", `{"at":1,"run":"r1","kind":"step.marked","step":1,"amount":0}`, "step.marked needs the field of"},
		{"a hold without a limit", `{"at":1,"run":"r1","kind":"hold"}`, "hold needs the field for_s"},
		{"a hold of no length", `{"at":1,"run":"r1","kind":"hold","for_s":0}`, "for_s is longer than 0"},
		{"a cursor without a position", `{"at":1,"run":"r1","kind":"cursor","total":3}`, "cursor needs the field position"},
		{"a total below zero", `{"at":1,"run":"r1","kind":"run.total","total":-3}`, "total is at least 0"},
		{"a total that names nothing", `{"at":1,"run":"r1","kind":"run.total"}`, "run.total names the total, or whether it is open"},
		{"an exit that says nothing", `{"at":1,"run":"r1","kind":"run.exited"}`, "run.exited names one of code, signal, spawn and malformed"},
		{"an exit that says two things", `{"at":1,"run":"r1","kind":"run.exited","code":0,"signal":9}`, "run.exited names one of"},
		{"process that is no switch", `{"at":1,"run":"r2","kind":"run.started","process":1}`, "process is true or false, not 1"},
		{"a suspend without a length", `{"at":1,"kind":"suspend"}`, "suspend needs the field for_s"},
		{"a line that is too long", `{"at":1,"kind":"` + strings.Repeat("x", MaxLine) + `"}`, "a line has at most"},
		{"a line after the end", `{"at":1,"kind":"end"}` + "\n" + `{"at":2,"kind":"sighted"}`, `unknown kind "sighted"`},
		{"a row after the end", `{"at":1,"kind":"end"}` + "\n" + `{"at":2,"run":"r1","kind":"resume"}`, "the tape has ended"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			lines, err := Read("t.jsonl", strings.NewReader(started+c.line+"\n"))
			broken, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Read = %d lines, %v, want an *Error", len(lines), err)
			}
			last := broken.Findings[len(broken.Findings)-1]
			if want := 2 + strings.Count(c.line, "\n"); last.Line != want || !strings.HasPrefix(last.Text, c.want) {
				t.Errorf("line %d: %s, want line %d: %s", last.Line, last.Text, want, c.want)
			}
		})
	}
}

func TestEveryBrokenLineIsSaid(t *testing.T) {
	_, err := Read("t.jsonl", strings.NewReader(started+"x\n\n# a remark\ny\n"))
	if want := "t.jsonl:2: this is no JSON object\nt.jsonl:5: this is no JSON object"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want\n%s", err, want)
	}
	_, err = Read("t.jsonl", strings.NewReader(strings.Repeat("x\n", 10_000)))
	if broken, ok := errors.AsType[*Error](err); !ok || len(broken.Findings) != MaxFindings {
		t.Errorf("Read = %v, want %d findings", err, MaxFindings)
	}
}

type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[i%len(e.text)]
	}
	return len(p), nil
}

func TestATapeWithoutAnEndOfItsLineIsGivenUp(t *testing.T) {
	if _, err := Read("zero", endless{"\x00"}); err == nil || !strings.Contains(err.Error(), "a line has at most") {
		t.Errorf("Read(zeros) = %v", err)
	}
}

func TestReadingThatFailsIsNoBrokenTape(t *testing.T) {
	_, err := Read("t", iotestErr{})
	if _, broken := errors.AsType[*Error](err); err == nil || broken {
		t.Errorf("Read = %v, want an error that is no *Error", err)
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestWhatALineMeans(t *testing.T) {
	text := "\xef\xbb\xbf# a tape from a Windows editor\r\n" +
		`{"at":10,"run":"r1","kind":"run.started","total":9,"open":true,"family":"f"}` + "\r\n" +
		`{"at":5,"run":"r1","kind":"step.begun","step":7,"expect_s":2.5}` + "\n" +
		`{"at":12.3456,"run":"r1","kind":"activity","bytes":7}` + "\n" +
		`{"at":13,"run":"r1","kind":"run.total","total":null}` + "\n" +
		`{"at":14,"run":"r1","kind":"run.exited","code":256,"asked_by":"user"}` + "\n" +
		`{"at":15,"run":"r1","kind":"run.exited","spawn":"no such file"}`
	lines, err := Read("t.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		"2 10s run.started 1 {9 true true}",
		"3 10s step.begun 2 7 2500",
		"4 12.346s activity 0 7",
		"5 13s run.total 3 {0 false false} false true",
		"6 14s run.exited 4 0 malformed user",
		"7 15s run.exited 5 0 spawn ",
	} {
		l := lines[i]
		got := fmt.Sprint(l.Number, " ", l.At, " ", l.Kind, " ", l.Event.ID)
		switch l.Kind {
		case cursor.RunStarted:
			got += fmt.Sprint(" ", l.Event.Total)
		case cursor.StepBegun:
			got += fmt.Sprint(" ", l.Event.Step, " ", l.Event.ForMS)
		case Activity:
			got += fmt.Sprint(" ", l.Bytes)
		case cursor.RunTotal:
			got += fmt.Sprint(" ", l.Event.Total, " ", l.keepTotal, " ", l.keepOpen)
		case cursor.RunExited:
			got += fmt.Sprint(" ", l.Event.Code, " ", l.Event.Reason, " ", l.Event.Who)
		}
		if got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestWhereATapeEnds(t *testing.T) {
	for _, c := range []struct {
		claim, text string
		want        time.Duration // of the last look
	}{
		{"at the look that sees its last line", started + `{"at":12,"run":"r1","kind":"resume"}`, 15 * time.Second},
		{"at a look that a line falls on", started + `{"at":10,"run":"r1","kind":"resume"}`, 10 * time.Second},
		{"after a gap that is its last line", started + `{"at":10,"kind":"monitor.gap","for_s":61}`, 75 * time.Second},
		{"after a suspend that is its last line", started + `{"at":10,"kind":"suspend","for_s":61}`, 75 * time.Second},
		{"where it says", started + `{"at":100,"kind":"end"}`, 100 * time.Second},
		{"where it says, when something is left to see", started + `{"at":97,"run":"r1","kind":"resume"}` + "\n" + `{"at":98,"kind":"end"}`, 98 * time.Second},
		{"before that, when nothing is", started + `{"at":98,"kind":"end"}`, 95 * time.Second},
		{"inside a gap", started + `{"at":10,"kind":"monitor.gap","for_s":61}` + "\n" + `{"at":50,"kind":"end"}`, 5 * time.Second},
	} {
		t.Run(c.claim, func(t *testing.T) {
			lines, err := Read("t", strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if sum := Play(valuesOf(lines), DefaultInterval, byDefault, Output{}); sum.Length != c.want {
				t.Errorf("the last look is at %v, want %v", sum.Length, c.want)
			}
		})
	}
}

// TestALongTapeOfSilenceCostsNothing: a hundred years of looks.
func TestALongTapeOfSilenceCostsNothing(t *testing.T) {
	lines, err := Read("t", strings.NewReader(started+`{"at":3.1e9,"kind":"end"}`))
	if err != nil {
		t.Fatal(err)
	}
	sum := Play(valuesOf(lines), 100*time.Millisecond, byDefault, Output{})
	if sum.Looks != 31_000_000_001 || sum.Signals["stalled"] != 1 {
		t.Errorf("%+v", sum)
	}
}
