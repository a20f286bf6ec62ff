package replay

import (
	"bytes"
	"testing"
	"time"

	"github.com/progmon/progmon/policy"
)

// FuzzTape: whatever a tape holds, it is refused or comes to an end, and no
// position falls on it.
func FuzzTape(f *testing.F) {
	f.Add([]byte(started + `{"at":5,"run":"r1","kind":"step.done","step":1}`))
	f.Add([]byte(started + `{"at":5,"kind":"suspend","for_s":100}` + "\n" + `{"at":9,"run":"r1","kind":"activity","bytes":1}`))
	f.Add([]byte(started + `{"at":5,"kind":"monitor.blind"}` + "\n" + `{"at":9,"kind":"monitor.gap","for_s":7}` + "\n" + `{"at":12,"kind":"end"}`))
	f.Add([]byte(`{"at":4e9,"run":"r1","kind":"run.started","total":9007199254740991}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines, err := Read("t", bytes.NewReader(text))
		if err != nil {
			return
		}
		last := map[string]int64{}
		Play(valuesOf(lines), time.Second, byDefault, Output{Verdict: func(j Judgement) {
			r := j.Verdict.Reading
			if r.Position < last[r.Run] {
				t.Fatalf("the position of %q fell from %d to %d", r.Run, last[r.Run], r.Position)
			}
			last[r.Run] = r.Position
			if j.Verdict.State == "" || j.Verdict.Detail == "" && j.Verdict.State != policy.Blind {
				t.Fatalf("%+v says nothing", j)
			}
		}})
	})
}
