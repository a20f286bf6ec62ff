package policy

import (
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "20m": 20 * time.Minute, "2h": 2 * time.Hour, "1d": 24 * time.Hour,
		"2d": 48 * time.Hour, "1w": 7 * 24 * time.Hour, "500ms": 500 * time.Millisecond,
		"1h30m": 90 * time.Minute, "1d12h": 36 * time.Hour, "0s": 0, "1.5h": 90 * time.Minute,
	} {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", in, got, err, want)
		}
		if again, err := ParseDuration(FormatDuration(want)); err != nil || again != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", FormatDuration(want), again, err, want)
		}
	}
	for _, in := range []string{
		"", "5", "0", "1.5", "-5m", "5 m", "5x", "m", "h5", "5m3", "1e3s", "inf", "NaN", "0x1s", "..s", "+5m", "5m\x00", "5M",
		"99999999999w", "9999999999999999999999s",
	} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", in, got)
		}
	}
}
