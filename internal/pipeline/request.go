package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/jsonline"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// request is a line of a worker: one row of a tape that a worker may write.
// Fields that its kind has no use for are ignored, a field that no tape has is
// an error, because a mistyped one would be forgotten without a word.
type request struct {
	Kind     string          `json:"kind"`
	Run      *string         `json:"run"`
	Epoch    *int64          `json:"epoch"`
	Step     json.RawMessage `json:"step"`
	ExpectS  *float64        `json:"expect_s"`
	Note     string          `json:"note"`
	Amount   *int64          `json:"amount"`
	Of       *int64          `json:"of"`
	Position *int64          `json:"position"`
	Total    *int64          `json:"total"`
	Open     *bool           `json:"open"`
	ForS     *float64        `json:"for_s"`
	Reason   string          `json:"reason"`
	Code     *int64          `json:"code"`
	Signal   *int64          `json:"signal"`

	// At is read and not used: the database has its own clock.
	At *float64 `json:"at"`

	// The kinds that need the rest of a tape's line are not a worker's to write.
	Family    json.RawMessage `json:"family"`
	Process   json.RawMessage `json:"process"`
	Bytes     json.RawMessage `json:"bytes"`
	Spawn     json.RawMessage `json:"spawn"`
	Malformed json.RawMessage `json:"malformed"`
	StepS     json.RawMessage `json:"step_s"`
}

// act is a line that was understood.
type act func(context.Context, *store.Run) (store.Ack, error)

// read understands a line.
func read(line []byte) (q request, do act, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		return q, nil, saidPlainly(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return q, nil, errors.New("more than one JSON object on a line")
	}
	if err := onlyFields(line); err != nil {
		return q, nil, err
	}
	if q.Run != nil && !cursor.ValidName(*q.Run) {
		return q, nil, fmt.Errorf("%s is no run id", policy.Said(*q.Run))
	}
	if q.Epoch != nil && *q.Epoch < 1 {
		return q, nil, fmt.Errorf("epoch %d: epochs count from 1", *q.Epoch)
	}
	if q.Kind == "" {
		return q, nil, errors.New("needs a kind, such as step.done")
	}
	if do, err = q.act(); err != nil {
		return q, nil, fmt.Errorf("%s: %w", policy.Quote(q.Kind, 40), err)
	}
	return q, do, nil
}

var fieldNames = jsonline.NamesOf[request]()

// onlyFields refuses a name in other letters than its own, and one that is
// there twice, which encoding/json lets pass.
func onlyFields(line []byte) error {
	var few [8]jsonline.Member
	members, err := jsonline.Members(line, few[:0])
	if errors.Is(err, jsonline.ErrNoObject) {
		return errors.New("not a JSON object") // null, which encoding/json lets pass too
	}
	for _, m := range members {
		if !fieldNames[m.Name] {
			return fmt.Errorf("unknown field %.40q", m.Name)
		}
	}
	return err
}

// act is what a line asks for.
func (q *request) act() (act, error) {
	switch {
	case strings.HasPrefix(q.Kind, "step."):
		return q.stepAct()
	case q.Kind == "cursor":
		if q.Position == nil || *q.Position < 0 || q.Total != nil && *q.Total < 0 {
			return nil, errors.New("needs a position, and neither it nor a total is negative")
		}
		return func(ctx context.Context, r *store.Run) (store.Ack, error) {
			return r.Observe(ctx, *q.Position, q.Total)
		}, nil
	case q.Kind == "hold":
		limit, err := seconds(q.ForS, "for_s")
		if err == nil && limit == 0 {
			err = errors.New("needs for_s: a hold has a limit")
		}
		return func(ctx context.Context, r *store.Run) (store.Ack, error) {
			return r.Hold(ctx, limit, store.KeptText(q.Reason))
		}, err
	case q.Kind == "resume":
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Resume(ctx) }, nil
	case q.Kind == "run.total":
		return q.totalAct()
	case q.Kind == "run.exited":
		return q.exitAct()
	}
	return nil, errors.New("this kind is not a worker's to write")
}

func (q *request) stepAct() (act, error) {
	ref, err := q.step()
	if err != nil {
		return nil, err
	}
	switch q.Kind {
	case "step.begun":
		expect, err := seconds(q.ExpectS, "expect_s")
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Begin(ctx, ref, expect) }, err
	case "step.done":
		return func(ctx context.Context, r *store.Run) (store.Ack, error) {
			return r.CompleteNoted(ctx, ref, store.KeptText(q.Note))
		}, nil
	case "step.failed":
		return func(ctx context.Context, r *store.Run) (store.Ack, error) {
			return r.Fail(ctx, ref, store.KeptText(q.Note))
		}, nil
	case "step.skipped":
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Skip(ctx, ref) }, nil
	case "step.cancelled":
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.CancelStep(ctx, ref) }, nil
	case "step.marked":
		if q.Amount == nil || q.Of == nil {
			return nil, errors.New("needs an amount and what it is of")
		}
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Mark(ctx, ref, *q.Amount, *q.Of) }, nil
	}
	return nil, errors.New("there is no such kind")
}

// step is the step that a line names: by a number, or by a text that is read
// as the command line reads it.
func (q *request) step() (store.StepRef, error) {
	var name string
	if json.Unmarshal(q.Step, &name) != nil {
		name = string(q.Step)
		if name == "" || strings.Trim(name, "-0123456789") != "" {
			return store.StepRef{}, errors.New("needs a step: its number, or its name as a string")
		}
	}
	return store.ParseStep(name)
}

func (q *request) totalAct() (act, error) {
	switch {
	case q.Total == nil && q.Open == nil:
		return nil, errors.New("needs a total, or open")
	case q.Total != nil && *q.Total < 0:
		return nil, fmt.Errorf("total %d is negative", *q.Total)
	case q.Open == nil:
		return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Resize(ctx, *q.Total) }, nil
	}
	total := cursor.Total{Known: q.Total != nil, Open: *q.Open}
	if total.Known {
		total.N = *q.Total
	}
	return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.SetTotal(ctx, total) }, nil
}

func (q *request) exitAct() (act, error) {
	exit := cursor.Exit{AskedBy: "worker"}
	switch {
	case (q.Code == nil) == (q.Signal == nil):
		return nil, errors.New("needs a code or a signal")
	case q.Code != nil && (*q.Code < 0 || *q.Code > 255):
		return nil, fmt.Errorf("exit code %d is not 0 to 255", *q.Code)
	case q.Code != nil:
		exit.Code = int(*q.Code)
	case *q.Signal < 1 || *q.Signal > 127:
		return nil, fmt.Errorf("signal %d is not 1 to 127", *q.Signal)
	default:
		exit.Signal = int(*q.Signal)
	}
	return func(ctx context.Context, r *store.Run) (store.Ack, error) { return r.Finish(ctx, exit) }, nil
}

// seconds is the length of time of a field, 0 when there is none.
func seconds(s *float64, field string) (time.Duration, error) {
	switch {
	case s == nil:
		return 0, nil
	case *s <= 0 || *s > cursor.Longest.Seconds():
		return 0, fmt.Errorf("%s is %v: a length of time is positive, and under a century", field, *s)
	}
	return max(time.Duration(*s*float64(time.Second)), time.Millisecond), nil
}

// saidPlainly is an error of encoding/json without the Go in it.
func saidPlainly(err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if kind.Field == "" {
			return errors.New("not a JSON object")
		}
		wanted := map[string]string{"int64": "whole number", "float64": "number", "bool": "true or false", "string": "string"}[kind.Type.String()]
		return fmt.Errorf("the value of %q is a %s and no %s", kind.Field, kind.Value, wanted)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not JSON: it ends too early")
	}
	said, isSyntax := strings.CutPrefix(err.Error(), "json: ")
	if isSyntax && strings.HasPrefix(said, "unknown field") {
		return errors.New(said)
	}
	return fmt.Errorf("not JSON: %s", said)
}
