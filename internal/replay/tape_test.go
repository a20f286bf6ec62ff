package replay

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/policy"
)

var update = flag.Bool("update", false, "rewrite the .want file of each tape with what comes of it")

const tapes = "../../testdata/tapes"

// TestTapes plays each story of testdata/tapes and compares what comes of it.
// A tape says in its first lines which kind of case it stands for; the policy
// beside it, if there is one, is the one it is judged by.
func TestTapes(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(tapes, "*.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no tapes: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".jsonl"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if text[0] != '#' {
				t.Error("the tape does not say what it stands for")
			}
			lines, err := Read(name, bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got := story(lines, DefaultInterval, thresholdsBeside(t, name))
			wanted := strings.TrimSuffix(name, ".jsonl") + ".want"
			if *update {
				if err := os.WriteFile(wanted, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wanted)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func thresholdsBeside(t *testing.T, tape string) func(run, family string) policy.Policy {
	t.Helper()
	f := policyfile.Builtin()
	path := strings.TrimSuffix(tape, ".jsonl") + ".toml"
	if _, err := os.Stat(path); err == nil {
		if f, err = policyfile.Load(path); err != nil {
			t.Fatal(err)
		}
	}
	return func(_, family string) policy.Policy { return f.For(family) }
}

// story is what comes of a tape, a line each.
func story(lines []Line, interval time.Duration, by func(run, family string) policy.Policy) string {
	var b strings.Builder
	place := func(v policy.Verdict) string {
		if bound := v.Reading.Bound(); bound.Known {
			return fmt.Sprintf("%d/%d", v.Reading.Position, bound.N)
		}
		return fmt.Sprint(v.Reading.Position)
	}
	sum := Play(slices.Values(lines), interval, by, Output{
		Verdict: func(j Judgement) {
			fmt.Fprintf(&b, "%-9s %-8s %-24s %-7s %s\n", policy.FormatDuration(j.At), j.Verdict.Reading.Run,
				j.Verdict.Says(), place(j.Verdict), j.Verdict.Detail)
		},
		Signal: func(s Signal) {
			fmt.Fprintf(&b, "%-9s %-8s ! %s since %d\n", policy.FormatDuration(s.At), s.Verdict.Reading.Run, s.Kind, s.Since)
		},
		Refused: func(r Refusal) { fmt.Fprintf(&b, "%-9s line %d: %v\n", "", r.Line.Number, r.Err) },
	})
	fmt.Fprintf(&b, "%d looks, %d blind, %d missed\n", sum.Looks, sum.BlindLooks, sum.Missed)
	return b.String()
}
