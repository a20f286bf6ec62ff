package demo

import (
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	p := part{run: "r", says: []string{"advancing", "stalled: quiet", "advancing"}, never: []string{"stuck"}, signals: []string{"stalled", "recovered"}}
	told := []string{"stalled", "recovered"}
	for _, tt := range []struct {
		claim string
		heard heard
		want  string // in the sentences; empty: none
	}{
		{"all of it in order", heard{[]string{"advancing", "stalled: quiet", "advancing"}, told}, ""},
		{"others may lie between", heard{[]string{"starting", "advancing", "degraded: quiet", "stalled: quiet", "advancing", "done"}, told}, ""},
		{"out of order", heard{[]string{"stalled: quiet", "advancing"}, told}, `"stalled: quiet", or not in its turn`},
		{"another reason", heard{[]string{"advancing", "stalled: stopped", "advancing"}, told}, "never said"},
		{"a state too many", heard{[]string{"advancing", "stalled: quiet", "stuck: looping", "advancing"}, told}, `was said to be "stuck: looping"`},
		{"a signal twice", heard{[]string{"advancing", "stalled: quiet", "advancing"}, []string{"stalled", "stalled", "recovered"}}, "want stalled, recovered"},
		{"nothing at all", heard{}, "signalled nothing"},
	} {
		got := strings.Join(p.broken(tt.heard), "; ")
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: broken = %q, want %q in it", tt.claim, got, tt.want)
		}
	}
}

func TestStoryNamesAReasonOnce(t *testing.T) {
	got := story([]string{"advancing", "degraded: quiet", "stalled: quiet", "degraded: looping", "done"})
	if want := "advancing, degraded, stalled: quiet, degraded: looping, done"; got != want {
		t.Errorf("story = %q, want %q", got, want)
	}
}

func TestLineInAWord(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"verdict","state":"advancing"}`:                                    "moving",
		`{"type":"verdict","state":"stuck","reason":"looping"}`:                     "busy",
		`{"type":"verdict","state":"degraded","reason":"receding"}`:                 "busy",
		`{"type":"verdict","state":"degraded","reason":"quiet"}`:                    "silent",
		`{"type":"verdict","state":"stalled","reason":"never-started"}`:             "silent",
		`{"type":"verdict","state":"failed","reason":"exit 3"}`:                     "ended",
		`{"type":"verdict","state":"waiting"}`:                                      "waiting",
		`{"type":"signal","signal":"escalated","state":"stuck","reason":"looping"}`: "busy",
		`{"type":"blind","reason":"missing"}`:                                       "blind",
	} {
		l, err := parseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := l.word(); got != want {
			t.Errorf("%s in a word = %q, want %q", text, got, want)
		}
	}
}
