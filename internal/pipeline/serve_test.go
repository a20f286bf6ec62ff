package pipeline_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/pipeline"
	"github.com/progmon/progmon/store"
)

// server answers for the run nightly with ten steps, the second named deploy.
func server(t testing.TB) *pipeline.Server {
	t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(t.TempDir(), "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, d := range []store.Declared{
		{Run: "nightly", Total: cursor.Total{N: 10, Known: true}, Steps: []string{"fetch", "deploy"}},
		{Run: "other", Total: cursor.Total{N: 10, Known: true, Open: true}},
		{Run: "taken", Total: cursor.Total{N: 10, Known: true}},
	} {
		if _, err := s.Start(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Takeover(ctx, "taken", 1); err != nil {
		t.Fatal(err)
	}
	return &pipeline.Server{Store: s, Run: "nightly", Epoch: 1, Malformed: 64, Code: func(err error) int {
		switch {
		case errors.Is(err, store.ErrFenced):
			return 77
		case errors.Is(err, store.ErrNoRun):
			return 66
		case errors.Is(err, store.ErrRefused), errors.Is(err, store.ErrNoStep):
			return 65
		}
		return 69
	}}
}

// answer is one line of what Serve says.
type answer struct {
	OK       bool
	Event    int64
	Position int64
	Code     int
	Error    string
	Line     int
}

func answers(t testing.TB, out string) []answer {
	t.Helper()
	var all []answer
	for line := range strings.Lines(out) {
		var a answer
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil || !strings.HasSuffix(line, "}\n") {
			t.Fatalf("answer %q: %v", line, err)
		}
		if a.OK != (a.Code == 0) || a.OK != (a.Error == "") || a.OK != (a.Event > 0) {
			t.Fatalf("answer %q is neither yes nor no", line)
		}
		all = append(all, a)
	}
	return all
}

func TestEveryKindOfAWorker(t *testing.T) {
	s := server(t)
	for _, row := range []struct {
		line     string
		position int64
	}{
		{`{"kind":"step.begun","step":1,"expect_s":0.5}`, 0},
		{`{"kind":"step.failed","step":1,"note":"disk full\nagain"}`, 0},
		{`{"kind":"step.begun","step":"fetch"}`, 0},
		{`{"kind":"step.marked","step":1,"amount":1,"of":3}`, 0},
		{`{"kind":"step.done","step":1}`, 1},
		{`{"kind":"step.done","step":1}`, 1},
		{`{"at":12.5,"run":"nightly","epoch":1,"kind":"step.done","step":"2","note":"by number in a string"}` + "\r", 2},
		{`{"kind":"step.skipped","step":3}`, 3},
		{` {"kind" : "step.cancelled", "step" : 4 } `, 4},
		{`{"kind":"hold","for_s":1200,"reason":"rate limit"}`, 4},
		{`{"kind":"resume"}`, 4},
		{`{"kind":"run.total","total":12}`, 4},
		{`{"kind":"run.total","total":12,"open":true}`, 4},
		{`{"kind":"run.total","open":false}`, 4},
		{`{"kind":"cursor","position":6,"total":20}`, 6},
		{`{"kind":"step.done","run":"other","step":1}`, 1},
		{`{"kind":"step.done","run":"taken","epoch":2,"step":1}`, 1},
		{`{"kind":"run.exited","run":"other","signal":9}`, 1},
		{`{"kind":"run.exited","code":0}`, 6},
	} {
		var out bytes.Buffer
		code, err := s.Serve(t.Context(), strings.NewReader(row.line+"\n"), &out)
		got := answers(t, out.String())
		if err != nil || code != 0 || len(got) != 1 || !got[0].OK || got[0].Position != row.position {
			t.Errorf("%s = %d, %v, %s, want position %d", row.line, code, err, &out, row.position)
		}
	}
}

func TestWhatIsNotAccepted(t *testing.T) {
	s := server(t)
	for _, row := range []struct {
		line string
		code int
		said string
	}{
		{`junk`, 64, "line 1: not JSON: invalid character 'j' looking for beginning of value"},
		{`{"kind":"step.done","step":`, 64, "line 1: not JSON: it ends too early"},
		{`[]`, 64, "line 1: not a JSON object"},
		{`7`, 64, "line 1: not a JSON object"},
		{`null`, 64, "line 1: not a JSON object"},
		{`{}`, 64, "line 1: needs a kind, such as step.done"},
		{`{"kind":"step.done","step":1} {}`, 64, "line 1: more than one JSON object on a line"},
		{`{"kind":"step.done","stpe":1}`, 64, `line 1: unknown field "stpe"`},
		{`{"kind":"step.done","Step":1}`, 64, `line 1: unknown field "Step"`},
		{`{"KIND":"step.done","step":1}`, 64, `line 1: unknown field "KIND"`},
		{`{"kind":"step.done","ſtep":1}`, 64, `line 1: unknown field "ſtep"`},
		{`{"kind":"step.done","step":1,"step":2}`, 64, `line 1: the field "step" is there twice`},
		{`{"kind":"step.done","step":1,"kind":"step.failed"}`, 64, `line 1: the field "kind" is there twice`},
		{`{"kind":"step.done","step":1,"step":2}`, 64, `line 1: the field "step" is there twice`},
		{`{"kind":7,"step":1}`, 64, `line 1: the value of "kind" is a number and no string`},
		{`{"at":"x","kind":"step.done","step":1}`, 64, `line 1: the value of "at" is a string and no number`},
		{`{"kind":"step.done"}`, 64, "line 1: step.done: needs a step: its number, or its name as a string"},
		{`{"kind":"step.done","step":1.5}`, 64, "line 1: step.done: needs a step: its number, or its name as a string"},
		{`{"kind":"step.done","step":[1]}`, 64, "line 1: step.done: needs a step: its number, or its name as a string"},
		{`{"kind":"step.done","step":0}`, 64, "line 1: step.done: step 0: steps count from 1"},
		{`{"kind":"step.done","step":-7}`, 64, "line 1: step.done: step -7: steps count from 1"},
		{`{"kind":"step.done","step":99999999999999999999}`, 64, "line 1: step.done: step 99999999999999999999: steps count from 1"},
		{`{"kind":"step.done","step":""}`, 64, "line 1: step.done: a step has a number or a name, and not an empty one"},
		{`{"kind":"step.done","step":"a\u0000b"}`, 64, `line 1: step.done: "a\x00b" is no step name: it is one line of text`},
		{`{"kind":"step.done","step":1,"epoch":0}`, 64, "line 1: epoch 0: epochs count from 1"},
		{`{"kind":"step.done","step":1,"epoch":"1"}`, 64, `line 1: the value of "epoch" is a string and no whole number`},
		{`{"kind":"step.done","step":1,"run":"../x"}`, 64, `line 1: "../x" is no run id`},
		{`{"kind":"step.done","step":1,"run":"a\u0000"}`, 64, `line 1: "a\x00" is no run id`},
		{`{"kind":"step.done","step":1,"run":""}`, 64, `line 1: "" is no run id`},
		{`{"kind":"step.jumped","step":1}`, 64, "line 1: step.jumped: there is no such kind"},
		{`{"kind":"step.begun","step":1,"expect_s":0}`, 64, "line 1: step.begun: expect_s is 0: a length of time is positive, and under a century"},
		{`{"kind":"step.begun","step":1,"expect_s":1e300}`, 64, "line 1: step.begun: expect_s is 1e+300: a length of time is positive, and under a century"},
		{`{"kind":"step.marked","step":1,"amount":1}`, 64, "line 1: step.marked: needs an amount and what it is of"},
		{`{"kind":"hold"}`, 64, "line 1: hold: needs for_s: a hold has a limit"},
		{`{"kind":"cursor"}`, 64, "line 1: cursor: needs a position, and neither it nor a total is negative"},
		{`{"kind":"run.total"}`, 64, "line 1: run.total: needs a total, or open"},
		{`{"kind":"run.total","total":-1}`, 64, "line 1: run.total: total -1 is negative"},
		{`{"kind":"run.exited"}`, 64, "line 1: run.exited: needs a code or a signal"},
		{`{"kind":"run.exited","code":256}`, 64, "line 1: run.exited: exit code 256 is not 0 to 255"},
		{`{"kind":"run.exited","code":1,"signal":9}`, 64, "line 1: run.exited: needs a code or a signal"},
		{`{"kind":"run.exited","signal":0}`, 64, "line 1: run.exited: signal 0 is not 1 to 127"},
		{`{"kind":"run.takeover"}`, 64, "line 1: run.takeover: this kind is not a worker's to write"},
		{`{"kind":"signal.stalled"}`, 64, "line 1: signal.stalled: this kind is not a worker's to write"},
		{`{"kind":"activity","bytes":7}`, 64, "line 1: activity: this kind is not a worker's to write"},
		{"{\"kind\":\"\u009b31m\x7f\"}", 64, "line 1: \\u009b31m\\x7f: this kind is not a worker's to write"},
		{strings.Repeat("x", 1<<20+1), 64, "line 1 is longer than 1048576 bytes"},
		{`{"kind":"step.done","step":11}`, 65, "complete step 11 of run \"nightly\": a step beyond a closed total is refused"},
		{`{"kind":"step.done","step":"nosuch"}`, 65, ""},
		{`{"kind":"step.marked","step":3,"amount":4,"of":3}`, 65, ""},
		{`{"kind":"step.done","run":"nobody","step":1}`, 66, ""},
		{`{"kind":"step.done","epoch":2,"step":1}`, 77, ""},
		{`{"kind":"step.done","run":"taken","step":1}`, 77, ""},
		{`{"kind":"step.done","run":"taken","epoch":1,"step":1}`, 77, ""},
		{`{"kind":"hold","run":"taken","for_s":1}`, 77, ""},
		{`{"kind":"run.exited","run":"taken","code":0}`, 77, ""},
	} {
		var out bytes.Buffer
		code, err := s.Serve(t.Context(), strings.NewReader(row.line), &out)
		got := answers(t, out.String())
		if err != nil || code != row.code || len(got) != 1 || got[0].Code != row.code || got[0].Line != 1 ||
			row.said != "" && got[0].Error != row.said {
			t.Errorf("%.80s = %d, %v, %s, want %d %s", row.line, code, err, &out, row.code, row.said)
		}
	}
}

// TestAnswersKeepTheOrderOfTheLines: whatever shares a transaction, and
// whatever is refused in it, and however the input is cut.
func TestAnswersKeepTheOrderOfTheLines(t *testing.T) {
	for _, size := range []int{1, 7, 4096, 1 << 20} {
		s := server(t)
		var in strings.Builder
		const n = 700
		for i := range n {
			switch i % 4 {
			case 0, 1:
				fmt.Fprintf(&in, `{"kind":"step.done","run":"other","step":%d}`+"\n\n", i/4*2+i%4+1)
			case 2:
				in.WriteString("junk\n")
			case 3:
				fmt.Fprintf(&in, `{"kind":"step.done","run":"other","step":%d,"epoch":9}`+"\n \t\r\n", i)
			}
		}
		var out bytes.Buffer
		code, err := s.Serve(t.Context(), &cutReader{in.String(), size}, &out)
		if err != nil || code != 64 {
			t.Fatalf("Serve = %d, %v, want 64, the code of the first that was not accepted", code, err)
		}
		got := answers(t, out.String())
		if len(got) != n {
			t.Fatalf("%d answers, want %d", len(got), n)
		}
		for i, a := range got {
			want := []int{0, 0, 64, 77}[i%4]
			if a.Code != want || a.OK && a.Position != int64(i/4*2+i%4+1) {
				t.Fatalf("answer %d is %+v, want code %d", i, a, want)
			}
		}
	}
}

// cutReader gives size bytes at a time at most.
type cutReader struct {
	left string
	size int
}

func (r *cutReader) Read(p []byte) (int, error) {
	if r.left == "" {
		return 0, io.EOF
	}
	n := copy(p, r.left[:min(r.size, len(r.left))])
	r.left = r.left[n:]
	return n, nil
}

// TestNobodyWaitsForMoreToCome: a worker that waits for each answer gets it,
// although its input is still open and the next line has begun.
func TestNobodyWaitsForMoreToCome(t *testing.T) {
	s := server(t)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		code, err := s.Serve(context.Background(), in, out)
		if err == nil && code != 0 {
			err = fmt.Errorf("code %d", code)
		}
		ended <- err
		out.Close()
	}()
	lines := bufio.NewScanner(fromServer)
	rest := ""
	for i := 1; i <= 9; i++ {
		// The end of this line, and the beginning of the next.
		line := fmt.Sprintf(`{"kind":"step.done","step":%d}`+"\n", i)
		next := `{"kind":"step.d`
		if _, err := io.WriteString(toServer, line[len(rest):]+next); err != nil {
			t.Fatal(err)
		}
		rest = next
		if !lines.Scan() {
			t.Fatal("no answer")
		}
		if a := answers(t, lines.Text()+"\n")[0]; !a.OK || a.Position != int64(i) {
			t.Fatalf("answer to step %d is %s", i, lines.Text())
		}
	}
	if _, err := io.WriteString(toServer, `one","step":10}`); err != nil {
		t.Fatal(err)
	}
	toServer.Close()
	if !lines.Scan() || !strings.Contains(lines.Text(), `"position":10`) {
		t.Fatalf("answer to a last line without an end is %q", lines.Text())
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestWhatWasReadIsFinishedWhenTheServerIsStopped: SIGTERM ends the reading,
// not what was read. It comes here with the answers of the first of several
// batches, all of them read in one piece.
func TestWhatWasReadIsFinishedWhenTheServerIsStopped(t *testing.T) {
	s := server(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in, toServer := io.Pipe()
	defer toServer.Close()
	const lines = 600 // more than two batches
	go func() {
		_, _ = io.WriteString(toServer, strings.Repeat(`{"kind":"resume"}`+"\n", lines))
	}()
	out := stopper{stop: cancel}
	code, err := s.Serve(ctx, in, &out)
	if !errors.Is(err, context.Canceled) || code != 0 {
		t.Errorf("Serve = %d, %v, want Canceled", code, err)
	}
	if got := answers(t, out.String()); len(got) != lines || !got[lines-1].OK {
		t.Errorf("%d answers, want %d", len(got), lines)
	}
}

// stopper ends what it is the output of at the first word.
type stopper struct {
	bytes.Buffer
	stop func()
}

func (s *stopper) Write(p []byte) (int, error) {
	s.stop()
	return s.Buffer.Write(p)
}

// TestAReaderThatIsGoneEndsIt: nobody is left to tell that a step is durable.
func TestAReaderThatIsGoneEndsIt(t *testing.T) {
	s := server(t)
	gone := errors.New("gone")
	fromServer, out := io.Pipe()
	fromServer.CloseWithError(gone)
	in := strings.Repeat(`{"kind":"resume"}`+"\n", 3000)
	code, err := s.Serve(t.Context(), strings.NewReader(in), out)
	if !errors.Is(err, gone) || code != 0 {
		t.Errorf("Serve = %d, %v, want %v", code, err, gone)
	}
	if events, err := s.Store.Events(t.Context(), store.EventFilter{}); err != nil || len(events) > 400 {
		t.Errorf("%d events, %v: it went on after the first batch", len(events), err)
	}
}

func TestAnInputThatCannotBeRead(t *testing.T) {
	s := server(t)
	broken := errors.New("broken pipe of the worker")
	in := io.MultiReader(strings.NewReader(`{"kind":"resume"}`+"\n"), &failing{broken})
	var out bytes.Buffer
	code, err := s.Serve(t.Context(), in, &out)
	if !errors.Is(err, broken) || code != 0 || len(answers(t, out.String())) != 1 {
		t.Errorf("Serve = %d, %v, %s, want one answer and %v", code, err, &out, broken)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// TestALongLineIsSkippedInBoundedMemory: what comes after it is answered.
func TestALongLineIsSkippedInBoundedMemory(t *testing.T) {
	s := server(t)
	in := io.MultiReader(
		strings.NewReader(`{"kind":"step.done","step":1}`+"\n"),
		io.LimitReader(endless{}, 64<<20),
		strings.NewReader("\n"+`{"kind":"step.done","step":2}`),
	)
	var out bytes.Buffer
	code, err := s.Serve(t.Context(), in, &out)
	got := answers(t, out.String())
	if err != nil || code != 64 || len(got) != 3 || got[1].Code != 64 || got[1].Line != 2 || got[2].Position != 2 {
		t.Errorf("Serve = %d, %v, %s", code, err, &out)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzServe: whatever comes, each line that is not blank has one answer that
// is JSON.
func FuzzServe(f *testing.F) {
	f.Add([]byte(`{"kind":"step.done","step":1}`))
	f.Add([]byte("\n0"))
	f.Add([]byte("\xff\n\x00\n{\"kind\":\"step.\xff\"}\r\n[[[[\n"))
	f.Add([]byte(`{"kind":"run.exited","code":0,"run":"a"}` + "\n" + `{"kind":"step.marked","step":"x","amount":1,"of":-1}`))
	s := server(f)
	f.Fuzz(func(t *testing.T, in []byte) {
		want := 0
		for line := range bytes.Lines(in) {
			if len(bytes.Trim(line, " \t\r\n")) > 0 {
				want++
			}
		}
		var out bytes.Buffer
		if _, err := s.Serve(context.Background(), bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if got := answers(t, out.String()); len(got) != want {
			t.Fatalf("%d answers to %d lines: %q", len(got), want, in)
		}
	})
}

// BenchmarkServe is the rate of a worker that runs ahead, and of one that
// waits for each answer.
func BenchmarkServe(b *testing.B) {
	for _, ahead := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("ahead=%d", ahead), func(b *testing.B) {
			s := server(b)
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			go func() {
				_, _ = s.Serve(context.Background(), in, out)
				out.Close()
			}()
			lines := bufio.NewScanner(fromServer)
			step := 0
			for b.Loop() {
				var batch strings.Builder
				for range ahead {
					step++
					fmt.Fprintf(&batch, `{"kind":"step.done","run":"other","step":%d}`+"\n", step)
				}
				if _, err := io.WriteString(toServer, batch.String()); err != nil {
					b.Fatal(err)
				}
				for range ahead {
					if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"ok":true`) {
						b.Fatal(lines.Text())
					}
				}
			}
			toServer.Close()
			b.ReportMetric(float64(b.N*ahead)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// TestARaisedSchemaRefusesTheLines: a newer progmon migrates the trail while a
// worker streams. Its lines are refused with the reason, and taken again once
// the version is back.
func TestARaisedSchemaRefusesTheLines(t *testing.T) {
	s := server(t)
	db, err := sql.Open("sqlite", "file:"+s.Store.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	in, feed := io.Pipe()
	said, out := io.Pipe()
	served := make(chan error, 1)
	go func() {
		_, err := s.Serve(t.Context(), in, out)
		served <- err
	}()
	next := bufio.NewScanner(said)
	flip := func(step int) answer {
		t.Helper()
		if _, err := fmt.Fprintf(feed, `{"kind":"step.done","step":%d}`+"\n", step); err != nil || !next.Scan() {
			t.Fatal(err, next.Err())
		}
		return answers(t, next.Text()+"\n")[0]
	}
	var ours int
	if err := db.QueryRow("PRAGMA user_version").Scan(&ours); err != nil {
		t.Fatal(err)
	}
	knows := fmt.Sprintf("newer-schema: its schema is version 99 and this progmon knows %d", ours)
	for i, row := range []struct {
		version int
		code    int
	}{{ours, 0}, {99, 69}, {99, 69}, {ours, 0}} {
		if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d", row.version)); err != nil {
			t.Fatal(err)
		}
		got := flip(i + 1)
		if got.Code != row.code || row.code != 0 && !strings.Contains(got.Error, knows) {
			t.Errorf("at version %d the answer is %+v, want code %d", row.version, got, row.code)
		}
	}
	feed.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
