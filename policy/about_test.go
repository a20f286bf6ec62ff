package policy

import (
	"strings"
	"testing"
	"time"
)

func TestAboutHasTwoUnitsAtMost(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour:                              "0s",
		0:                                       "0s",
		450*time.Millisecond + 9:                "450ms",
		59*time.Second + 900*time.Millisecond:   "59s",
		9*time.Minute + 30*time.Second:          "9m30s",
		17*time.Minute + 59*time.Second:         "17m59s",
		time.Hour + 2*time.Minute + time.Second: "1h2m",
		24*time.Hour - 1:                        "23h59m",
		76*time.Hour + 59*time.Minute:           "3d4h",
	} {
		if got := About(d); got != want {
			t.Errorf("About(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for word, want := range map[string]string{
		"":                                `""`,
		"a\x1b[2Jb":                       `"a\x1b[2Jb"`,
		strings.Repeat("é", 80):           `"` + strings.Repeat("é", 80) + `"`,
		strings.Repeat("é", 81):           `"` + strings.Repeat("é", 80) + `"… (81 characters)`,
		strings.Repeat("\u202e", 100_000): `"` + strings.Repeat(`\u202e`, 80) + `"… (100000 characters)`,
	} {
		if got := Said(word); got != want {
			t.Errorf("Said(%.90q) = %s, want %s", word, got, want)
		}
	}
}
