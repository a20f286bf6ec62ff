package report_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/report"
)

func TestInstantsAndLengthsInJSON(t *testing.T) {
	for _, c := range []struct {
		claim string
		v     any
		want  string
	}{
		{"no instant", report.Instant{}, `null`},
		{"to the millisecond, in UTC", report.Instant{Time: time.Date(2026, 3, 29, 3, 30, 0, 5e6, time.FixedZone("", 7200))}, `"2026-03-29T01:30:00.005Z"`},
		{"on the second", report.Instant{Time: time.Unix(0, 0)}, `"1970-01-01T00:00:00.000Z"`},
		{"a year that JSON cannot hold", report.Instant{Time: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}, `"9999-12-31T23:59:59.999Z"`},
		{"a length", report.Length(90*time.Second + 1500*time.Microsecond), `90.001`},
		{"an unknown length", (*report.Length)(nil), `null`},
		{"a level is the exit code", report.LevelBlind, `3`},
	} {
		got, err := json.Marshal(c.v)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.claim, got, err, c.want)
		}
	}
}

func TestLevelsAreWords(t *testing.T) {
	for l, want := range map[report.Level]string{report.LevelFine: "fine", report.LevelDegraded: "degraded", report.LevelBad: "bad", report.LevelBlind: "blind", 9: "level 9"} {
		if got := l.String(); got != want {
			t.Errorf("Level(%d) = %q, want %q", int(l), got, want)
		}
	}
}
