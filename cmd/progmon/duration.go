package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// durationFlag is the value of a flag that takes a length of time, such as
// 90s, 20m, 2h, 1d, 1w, 500ms or 1h30m. A command keeps one and hands it to
// newDurationFlag; its own value before that is the default.
type durationFlag time.Duration

// Set reads s. A bare number is refused: nobody remembers its unit.
func (d *durationFlag) Set(s string) error {
	v, err := parseDuration(s)
	if err == nil {
		*d = durationFlag(v)
	}
	return err
}

// Get makes the value that of c.Value: a time.Duration.
func (d *durationFlag) Get() any { return time.Duration(*d) }

func (d *durationFlag) String() string {
	if *d == 0 {
		return ""
	}
	return formatDuration(time.Duration(*d))
}

// newDurationFlag is a flag that sets d, with the PROGMON_… twins envVars.
func newDurationFlag(d *durationFlag, name, usage string, envVars ...string) *cli.GenericFlag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: d, EnvVars: envVars}
}

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

// parseDuration reads a length of time as people write it: numbers, each with
// a unit out of w d h m s ms. A day is 24 hours. It is never negative.
func parseDuration(s string) (time.Duration, error) {
	switch {
	case s == "":
		return 0, errors.New("a duration is missing")
	case s[0] == '-':
		return 0, fmt.Errorf("duration %q is negative", s)
	}
	if strings.Trim(s, "0123456789.") == "" {
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
			return 0, fmt.Errorf("%q is no duration: write it like 90s, 20m, 2h, 1d or 1h30m", s)
		}
		rest = rest[letters:]
		total += number * float64(size)
	}
	if total >= math.MaxInt64 {
		return 0, fmt.Errorf("duration %q is too long", s)
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

// formatDuration writes d as parseDuration reads it, to the millisecond:
// 1d12h, 1m30s, 500ms.
func formatDuration(d time.Duration) string {
	if d < time.Millisecond {
		return "0s"
	}
	var b strings.Builder
	for _, u := range units {
		if n := d / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.size
		}
	}
	return b.String()
}
