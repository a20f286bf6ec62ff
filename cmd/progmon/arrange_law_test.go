package main

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestWhereAFlagStandsDoesNotMatter: flags dealt out among the words in any
// way give the command the same call, and no order of any words crashes.
func TestWhereAFlagStandsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flags := [][]string{{"--json"}, {"--db", "x.db"}, {"--run=r"}, {"--epoch", "3"}}
		words := []string{"step", "done", "7"}
		straight := newSample(nil)
		straight.do(slices.Concat(words, slices.Concat(flags...))...)

		mixed := [][]string{}
		for _, w := range words {
			mixed = append(mixed, []string{w})
		}
		for _, f := range flags {
			// A command's own flags are not known before its name is.
			least := 0
			if strings.HasPrefix(f[0], "--run") || f[0] == "--epoch" {
				least = 1 + slices.IndexFunc(mixed, func(w []string) bool { return w[0] == "step" })
			}
			mixed = slices.Insert(mixed, rapid.IntRange(least, len(mixed)).Draw(t, "place"), f)
		}
		dealt := newSample(nil)
		code := dealt.do(slices.Concat(mixed...)...)
		if code != 0 || dealt.ran != straight.ran {
			t.Fatalf("progmon %q = %d, %s, want %s\n%s", slices.Concat(mixed...), code, dealt.ran, straight.ran, &dealt.errOut)
		}
	})
}

// TestNoWordsCrash: whatever the words, a command runs, or help comes, or two
// lines say what is wrong; and a completion of them runs nothing.
func TestNoWordsCrash(t *testing.T) {
	word := rapid.OneOf(
		rapid.SampledFrom([]string{"status", "step", "done", "run", "-", "--", "help", "--help", "-h", "-f", "--json", "--json=0",
			"--db", "--db=", "--run", "--epoch", "3", "--wait", "5m", "=", "--=", "---", "-=", "--json=", askCandidates}),
		rapid.StringN(0, 4, 8),
	)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 0, 8).Draw(t, "words")
		s := newSample(nil)
		switch code := s.do(words...); {
		case code == exitUsage && s.out.Len() == 0 && strings.Count(s.errOut.String(), "\n") == 2 && s.ran == "":
		case code == exitFine && s.errOut.Len() == 0 && (s.ran != "") != (s.out.Len() > 0):
		default:
			t.Fatalf("progmon %q = %d, stdout %q, stderr %q, ran %q", words, code, &s.out, &s.errOut, s.ran)
		}
		asked := newSample(nil)
		if complete(asked.env, words); asked.ran != "" || asked.errOut.Len() > 0 {
			t.Fatalf("completing %q ran %q, stderr %q", words, asked.ran, &asked.errOut)
		}
	})
}
