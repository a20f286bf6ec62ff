package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are in falling order, the one in which a duration is written.
var units = [...]struct {
	name string
	size time.Duration
}{
	{"w", 7 * 24 * time.Hour},
	{"d", 24 * time.Hour},
	{"h", time.Hour},
	{"m", time.Minute},
	{"s", time.Second},
	{"ms", time.Millisecond},
}

// ParseDuration reads a length of time as people write it: numbers, each with
// a unit out of w d h m s ms, as in 90s, 20m, 1h30m, 500ms. A day is 24 hours.
// It is never negative, and a bare number is refused: nobody remembers its unit.
func ParseDuration(s string) (time.Duration, error) {
	switch {
	case s == "":
		return 0, errors.New("a duration is missing")
	case s[0] == '-':
		return 0, fmt.Errorf("duration %s is negative", Said(s))
	}
	if strings.Trim(s, "0123456789.") == "" {
		if len(s) > 20 {
			return 0, fmt.Errorf("duration %s has no unit, such as s, m or h", Said(s))
		}
		return 0, fmt.Errorf("duration %q has no unit: write %ss, %sm or %sh", s, s, s, s)
	}
	var total float64
	for rest := s; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		number, err := strconv.ParseFloat(rest[:digits], 64)
		rest = rest[digits:]
		letters := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
		size, ok := unit(rest[:letters])
		if err != nil || !ok {
			return 0, fmt.Errorf("%s is no duration: write it like 90s, 20m, 2h, 1d or 1h30m", Said(s))
		}
		rest = rest[letters:]
		total += number * float64(size)
	}
	if total >= math.MaxInt64 {
		return 0, fmt.Errorf("duration %s is too long", Said(s))
	}
	return time.Duration(math.Round(total)), nil
}

func unit(name string) (time.Duration, bool) {
	for _, u := range units {
		if u.name == name {
			return u.size, true
		}
	}
	return 0, false
}

// FormatDuration writes d as ParseDuration reads it, to the millisecond: 15m,
// 1d12h, 1m30s, 500ms. Weeks are written in days.
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	if d < time.Millisecond {
		return "0s"
	}
	var b []byte
	for _, u := range units[1:] {
		if n := d / u.size; n > 0 {
			b = append(strconv.AppendInt(b, int64(n), 10), u.name...)
			d -= n * u.size
		}
	}
	return string(b)
}
