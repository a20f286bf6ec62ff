package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/progmon/progmon/internal/replay"
	"github.com/progmon/progmon/policy"
)

// playback is one call of replay.
type playback struct {
	*env
	ctx        context.Context
	thresholds *thresholds
	interval   time.Duration
	tape       string // told with each line, where there are several
	absolute   bool   // tape time is unix time
}

// tapes plays each of the named tapes, once all of them are found right.
func (p *playback) tapes(names []string) error {
	tapes := make([][]replay.Line, len(names))
	for i, name := range names {
		in, err := p.input(name)
		if errors.Is(err, fs.ErrNotExist) {
			return withCode(exitNoRun, err)
		} else if err != nil {
			return err
		}
		tapes[i], err = replay.Read(name, in)
		if closed := in.Close(); err == nil {
			err = closed
		}
		if broken, ok := errors.AsType[*replay.Error](err); ok {
			return withCode(exitRefused, broken)
		} else if err != nil {
			return err
		}
	}
	for i, lines := range tapes {
		if len(tapes) > 1 {
			p.tape = names[i]
		}
		by := func(_, family string) policy.Policy { return p.thresholds.of(family, nil) }
		if err := p.play(slices.Values(lines), by); err != nil {
			return err
		}
	}
	return nil
}

// play prints what comes of the lines.
func (p *playback) play(lines iter.Seq[replay.Line], by func(run, family string) policy.Policy) error {
	out := replay.Output{Verdict: p.verdict, Signal: p.signal, Refused: p.refused}
	if p.json {
		out.Verdict = func(j replay.Judgement) { p.line(j) }
		out.Signal = func(s replay.Signal) {
			if s.Kind != policy.Pinged {
				p.line(s)
			}
		}
	} else if p.tape != "" {
		p.printf("%s\n", printable(p.tape))
	}
	sum := replay.Play(until(p.ctx, lines), p.interval, by, out)
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if p.json {
		p.line(sum)
	} else {
		p.summary(sum)
	}
	return nil
}

// until is lines, as long as ctx lasts.
func until(ctx context.Context, lines iter.Seq[replay.Line]) iter.Seq[replay.Line] {
	return func(yield func(replay.Line) bool) {
		for l := range lines {
			if ctx.Err() != nil || !yield(l) {
				return
			}
		}
	}
}

// line prints a line of JSON, with the tape it is of where there are several.
func (p *playback) line(v json.Marshaler) {
	text, err := v.MarshalJSON()
	if err != nil {
		panic(err) // all of it is text and numbers of ours
	}
	if p.tape != "" {
		name, _ := json.Marshal(p.tape)
		text = append(append(append([]byte(`{"tape":`), name...), ','), text[1:]...)
	}
	p.printf("%s\n", printableJSON(text))
}

// at is tape time as people read it.
func (p *playback) at(t time.Duration) string {
	if p.absolute {
		return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05")
	}
	return policy.FormatDuration(t)
}

func (p *playback) verdict(j replay.Judgement) {
	p.printf("%12s  %-12s  %-24s %s\n", p.at(j.At), printable(j.Verdict.Reading.Run), printable(j.Verdict.Says()), printable(j.Verdict.Detail))
}

func (p *playback) signal(s replay.Signal) {
	p.printf("%12s  %-12s  ! %-22s since event %d\n", p.at(s.At), s.Verdict.Reading.Run, s.Kind, s.Since)
}

func (p *playback) refused(r replay.Refusal) {
	where := fmt.Sprintf("line %d", r.Line.Number)
	if r.Line.Number == 0 {
		where = fmt.Sprintf("event %d", r.Line.Event.ID)
	}
	p.complain(fmt.Errorf("%s changes nothing: %w", where, r.Err))
}

func (p *playback) summary(s replay.Summary) {
	p.printf("\n%s over %s: %s, %s, %d refused\n", counted(int64(s.Runs), "run"), policy.FormatDuration(s.Length),
		counted(s.Rows, "row"), counted(s.Looks, "look"), s.Refused)
	for _, state := range policy.States() {
		if n := s.States[state]; n > 0 {
			p.printf("  %-12s %d\n", state, n)
		}
	}
	kinds := make([]string, 0, len(s.Signals))
	for kind := range s.Signals {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		p.printf("  ! %-10s %d\n", kind, s.Signals[kind])
	}
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
