package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/jsonline"
	"github.com/progmon/progmon/policy"
)

// fieldsOf are the fields of each kind beside at, run and kind; those with a
// question mark may be left out. nil is an unknown kind.
func fieldsOf(kind string) []string {
	switch kind {
	case cursor.RunStarted:
		return []string{"family?", "total?", "open?", "process?"}
	case cursor.RunTotal:
		return []string{"total?", "open?"}
	case cursor.RunTakeover, cursor.RunCancelled, cursor.RunStopped, cursor.RunContinued, cursor.Resumed,
		Vanished, Sighted, End:
		return []string{}
	case cursor.StepBegun:
		return []string{"step", "expect_s?"}
	case cursor.StepDone, cursor.StepFailed, cursor.StepSkipped, cursor.StepCancelled:
		return []string{"step"}
	case cursor.StepMarked:
		return []string{"step", "amount", "of"}
	case cursor.Observed:
		return []string{"position", "total?"}
	case Activity:
		return []string{"bytes"}
	case cursor.Held:
		return []string{"for_s", "reason?"}
	case cursor.RunExited:
		return []string{"code?", "signal?", "spawn?", "malformed?", "asked_by?"}
	case Blind:
		return []string{"reason?"}
	case Gap, Suspend:
		return []string{"for_s"}
	case Wall:
		return []string{"step_s"}
	}
	return nil
}

func parseLine(raw []byte) (Line, error) {
	members, err := jsonline.Members(raw, nil)
	if err != nil {
		return Line{}, err
	}
	f := fields{raw: make(map[string]json.RawMessage, len(members))}
	for _, m := range members {
		f.raw[m.Name] = m.Value
	}
	l := Line{Kind: f.text("kind"), At: f.seconds("at", 0, maxAt)}
	if f.err != nil {
		return Line{}, f.err
	}
	known := fieldsOf(l.Kind)
	if known == nil {
		return Line{}, fmt.Errorf("unknown kind \"%s\"", policy.Quote(l.Kind, 80))
	}
	if err := f.check(l.Kind, known); err != nil {
		return Line{}, err
	}
	if f.has("run") {
		l.Run = f.name("run")
	}
	f.fill(&l)
	return l, f.err
}

// check says which fields are missing and which have no place.
func (f *fields) check(kind string, known []string) error {
	if ofRun(kind) && !f.has("run") {
		return fmt.Errorf("%s names its run", kind)
	}
	for _, field := range known {
		if name, optional := strings.CutSuffix(field, "?"); !optional && !f.has(name) {
			return fmt.Errorf("%s needs the field %s", kind, name)
		}
	}
	var odd []string
	for name := range f.raw {
		if name != "at" && name != "run" && name != "kind" &&
			!slices.Contains(known, name) && !slices.Contains(known, name+"?") {
			odd = append(odd, policy.Quote(name, 40))
		}
	}
	if len(odd) > 0 {
		slices.Sort(odd)
		return fmt.Errorf("%s has no field %s", kind, strings.Join(odd, ", "))
	}
	return nil
}

func (f *fields) fill(l *Line) {
	e := &l.Event
	e.Kind = l.Kind
	switch l.Kind {
	case cursor.RunStarted:
		l.Family = "default"
		if f.has("family") {
			l.Family = f.name("family")
		}
		e.Total = cursor.Total{N: f.optional("total"), Known: f.has("total"), Open: f.flag("open")}
		l.Process = f.flag("process")
	case cursor.RunTotal:
		_, named := f.raw["total"]
		e.Total = cursor.Total{N: f.optional("total"), Known: f.has("total"), Open: f.flag("open")}
		l.keepTotal, l.keepOpen = !named, !f.has("open")
		if l.keepTotal && l.keepOpen {
			f.wrong("run.total names the total, or whether it is open")
		}
	case cursor.StepBegun:
		e.Step = f.count("step", 1)
		if f.has("expect_s") {
			e.ForMS = f.positive("expect_s").Milliseconds()
		}
	case cursor.StepDone, cursor.StepFailed, cursor.StepSkipped, cursor.StepCancelled:
		e.Step = f.count("step", 1)
	case cursor.StepMarked:
		e.Step, e.Amount, e.OutOf = f.count("step", 1), f.count("amount", 0), f.count("of", 1)
	case cursor.Observed:
		e.Position = f.count("position", 0)
		e.Total = cursor.Total{N: f.optional("total"), Known: f.has("total")}
	case Activity:
		l.Bytes = f.count("bytes", 0)
	case cursor.Held:
		e.ForMS = f.positive("for_s").Milliseconds()
		if f.has("reason") {
			e.Reason = f.text("reason")
		}
	case cursor.RunExited:
		f.exit(e)
	case Blind:
		l.Reason = "missing"
		if f.has("reason") {
			l.Reason = f.text("reason")
		}
	case Gap, Suspend:
		l.For = f.positive("for_s")
	case Wall:
		l.Step = f.seconds("step_s", -maxFor, maxFor)
	}
}

// exit reads how a run ended. A number that no process can end with is a
// malformed record, as it is in an exit file.
func (f *fields) exit(e *cursor.Event) {
	spoken := 0
	if f.has("code") {
		spoken++
		if e.Code = int(f.whole("code")); e.Code < 0 || e.Code > 255 {
			e.Code, e.Reason = 0, policy.ReasonMalformed
		}
	}
	if f.has("signal") {
		spoken++
		if e.Signal = int(f.whole("signal")); e.Signal < 1 || e.Signal > 127 {
			e.Signal, e.Reason = 0, policy.ReasonMalformed
		}
	}
	for _, reason := range []string{policy.ReasonSpawn, policy.ReasonMalformed} {
		// true, or what was seen.
		if f.has(reason) && string(f.raw[reason]) != "false" {
			spoken++
			e.Reason = reason
		}
	}
	if spoken != 1 {
		f.wrong("run.exited names one of code, signal, spawn and malformed")
	}
	if f.has("asked_by") {
		e.Who = f.text("asked_by")
	}
}
