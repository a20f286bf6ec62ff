package store

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/progmon/progmon/cursor"
)

// runFold is one run as its log gives it.
type runFold struct {
	trail       *cursor.Trail
	declared    declaration
	undeclared  []string // in what its row is not what its log says
	process     bool
	epoch       int64
	startedMS   int64
	first, last int64 // its rows
	todo        int64 // of the cursor row
	// Where the stamps of the cursor come from.
	startMS, epochMS, advanceMS, fullMS, holdMS, holdEndMS int64
	holdReason                                             string

	live   map[int64]*stepFold // steps that are not terminal
	sum    uint64              // of the steps as the log gives them
	rowSum uint64              // of the rows
	cursor bool                // its cursor row was met
}

// logRow is one row of the log, as verify_events.sql gives it.
type logRow struct {
	cursor.Event
	run      string
	hasRun   bool
	attempt  int64
	advance  bool
	position num
	data     string
	since    int64
	hasSince bool
}

func readLogRow(row []value) (e logRow) {
	text := func(i int) string { s, _ := row[i].(string); return s }
	e.ID, e.AtMS, e.Epoch, e.Kind = whole(row[0]), whole(row[1]), whole(row[3]), text(4)
	e.run, e.hasRun = row[2].(string)
	e.Step, e.attempt, e.advance = whole(row[5]), whole(row[6]), whole(row[7]) == 1
	e.position.take(row[8])
	if _, has := row[6].(int64); !has {
		e.attempt = none
	}
	e.Position = e.position.n
	e.Total.N, e.Total.Known = row[9].(int64)
	e.Total.Open = whole(row[10]) == 1
	e.Amount, e.OutOf, e.ForMS = whole(row[11]), whole(row[12]), whole(row[13])
	e.Code, e.Signal = int(whole(row[14])), int(whole(row[15]))
	e.since, e.hasSince = row[16].(int64)
	e.Source, e.Reason, e.Who, e.data = text(17), text(18), text(19), text(20)
	return e
}

// declared reads the runs as they were declared.
func (k *verifier) declared() error {
	return k.read("verify_runs", func(row []value) error {
		id, _ := row[0].(string)
		family, _ := row[1].(string)
		f := &runFold{process: whole(row[4]) == 1, epoch: whole(row[5]), startedMS: whole(row[6]), live: map[int64]*stepFold{}}
		body, _ := row[7].(string)
		f.declared = declaration{Total: row[2], Open: whole(row[3]), Family: family, Process: whole(row[4]), Policy: json.RawMessage(body)}
		f.trail = cursor.NewTrail(id, family, f.process)
		k.runs[id] = f
		k.v.Runs++
		return nil
	})
}

// said is the key of what is said once.
type said struct {
	run, kind    string
	epoch, since int64
}

// log reads every row once: it folds it into its run, and into the seal that
// covers it.
func (k *verifier) log() error {
	seals, err := k.seals()
	if err != nil {
		return err
	}
	last := logStarts - 1
	once := map[said]int64{}
	err = k.read("verify_events", func(row []value) error {
		e := readLogRow(row)
		k.v.Events++
		if e.ID != last+1 {
			k.gap(last, e.ID)
		}
		last = e.ID
		seals.take(e.ID, row)
		if e.hasRun {
			k.fold(&e, once)
		}
		k.onceOnly(&e, once)
		return nil
	}, arg{"after", int64(-1 << 63)})
	seals.end()
	return err
}

// gap says which ids are missing between two rows.
func (k *verifier) gap(last, id int64) {
	f := Finding{Rule: RuleIDs, FirstEvent: last + 1, LastEvent: id - 1, Detail: "these rows of the log are missing"}
	if id <= last || id < logStarts {
		f = Finding{Rule: RuleIDs, FirstEvent: id, LastEvent: id, Detail: "an id that the database does not give"}
	}
	k.v.add(f)
}

// onceOnly finds signals that were said twice.
func (k *verifier) onceOnly(e *logRow, once map[said]int64) {
	signal := strings.HasPrefix(e.Kind, "signal.")
	if signal != e.hasSince && e.Kind != "pinged" || signal && !e.hasRun {
		k.v.add(Finding{Rule: RuleSignal, Run: e.run, FirstEvent: e.ID, LastEvent: e.ID,
			Detail: "a signal, and nothing else, names its run and the event of the last advance in since"})
	}
	if !e.hasSince {
		return
	}
	keys := []said{{e.run, e.Kind, e.Epoch, e.since}}
	switch e.Kind {
	case "signal.timeout", "signal.wrap-up":
		keys = append(keys, said{e.run, e.Kind, e.Epoch, none})
	}
	for _, key := range keys {
		if first := once[key]; first != 0 {
			k.v.add(Finding{Rule: RuleSignal, Run: e.run, FirstEvent: first, LastEvent: e.ID,
				Detail: e.Kind + " was said twice of one episode or epoch"})
			return
		}
	}
	for _, key := range keys {
		once[key] = e.ID
	}
}

// fold applies a row to its run and finds what the rules refuse.
func (k *verifier) fold(e *logRow, told map[said]int64) {
	f := k.runs[e.run]
	if f == nil {
		k.v.add(Finding{Rule: RuleEvent, Run: e.run, FirstEvent: e.ID, LastEvent: e.ID, Detail: "its run is not there"})
		return
	}
	if f.first == 0 {
		f.first = e.ID
	}
	f.last = e.ID
	find := func(rule, format string, args ...any) {
		k.v.add(Finding{Rule: rule, Run: e.run, FirstEvent: e.ID, LastEvent: e.ID, Step: e.Step, Detail: fmt.Sprintf(format, args...)})
	}
	before := f.trail.Standing()
	if e.hasSince {
		if why := signalFault(e, &before, told); why != "" {
			find(RuleSignal, "%s", why)
		}
	}
	advance, err := f.trail.Apply(&e.Event)
	if err != nil {
		find(RuleEvent, "%s", err)
		return
	}
	after := f.trail.Standing()
	f.stamp(e, &before, &after)
	if e.Kind == cursor.RunStarted {
		f.undeclared = f.declared.differs(e)
	}
	if e.Kind != cursor.Observed {
		switch {
		case e.position.set && e.position.n != after.Position:
			find(RuleAdvance, "it says position %d, and it is %d", e.position.n, after.Position)
		case e.Total.Known && (e.Total.N != after.Total.N || !after.Total.Known):
			find(RuleAdvance, "it says total %d, and it is %s", e.Total.N, totalOf(after.Total))
		}
	}
	if !strings.HasPrefix(e.Kind, "step.") {
		if e.advance {
			find(RuleAdvance, "it is no step and says that it is an advance")
		}
		return
	}
	if e.advance != advance {
		find(RuleAdvance, "it says advance %t, and it is %t", e.advance, advance)
	}
	f.step(e, after.Terminal > before.Terminal)
}

// totalOf is a bound as a finding has it.
func totalOf(t cursor.Total) string {
	if !t.Known {
		return "unknown"
	}
	return fmt.Sprint(t.N)
}

// stamp keeps the stamps of the rows that the cursor names.
func (f *runFold) stamp(e *logRow, before, after *cursor.Standing) {
	note := func(was, is int64, at *int64) {
		switch {
		case is == 0:
			*at = 0
		case is != was:
			*at = e.AtMS
		}
	}
	note(before.StartEvent, after.StartEvent, &f.startMS)
	note(before.EpochEvent, after.EpochEvent, &f.epochMS)
	note(before.AdvanceEvent, after.AdvanceEvent, &f.advanceMS)
	note(before.FullEvent, after.FullEvent, &f.fullMS)
	note(before.HoldEvent, after.HoldEvent, &f.holdMS)
	note(before.HoldEndEvent, after.HoldEndEvent, &f.holdEndMS)
	if after.HoldEvent == e.ID {
		f.holdReason = e.Reason
	}
}

// sequence finds a log whose end was cut: the database remembers the last id
// it gave.
func (k *verifier) sequence() error {
	return k.read("verify_sequence", func(row []value) error {
		seq, newest := whole(row[0]), whole(row[1])
		switch {
		case whole(row[2]) > 1 || newest > 0 && whole(row[2]) == 0 || seq < newest:
			k.v.add(Finding{Rule: RuleIDs, Detail: fmt.Sprintf("sqlite_sequence says %d, and the newest event is %d", seq, newest)})
		case seq >= noMoreIDs && newest < noMoreIDs:
			k.v.add(Finding{Rule: RuleIDs, Detail: fmt.Sprintf("sqlite_sequence was set by hand: it says %d, and the newest event is %d; %s", seq, newest, resetIDs)})
		case seq > newest:
			k.v.add(Finding{Rule: RuleIDs, FirstEvent: newest + 1, LastEvent: seq, Detail: "these rows at the end of the log are missing"})
		}
		return nil
	})
}
