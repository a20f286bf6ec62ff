package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
)

// durationFlag is the value of a flag that takes a length of time, such as
// 90s, 20m, 2h, 1d, 1w, 500ms or 1h30m. A command keeps one and hands it to
// newDurationFlag; its own value before that is the default.
type durationFlag time.Duration

// Set reads s. A bare number is refused: nobody remembers its unit. So is no
// time at all: the trail counts milliseconds, and a flag that is 0 was not given.
func (d *durationFlag) Set(s string) error {
	v, err := policy.ParseDuration(s)
	switch {
	case err != nil:
		return err
	case v < time.Millisecond:
		return fmt.Errorf("%s is shorter than 1ms", policy.Said(s))
	}
	*d = durationFlag(v)
	return nil
}

// Get makes the value that of c.Value: a time.Duration.
func (d *durationFlag) Get() any { return time.Duration(*d) }

func (d *durationFlag) String() string {
	if *d == 0 {
		return ""
	}
	return policy.FormatDuration(time.Duration(*d))
}

// newDurationFlag is a flag that sets d, with the PROGMON_… twins envVars.
func newDurationFlag(d *durationFlag, name, usage string, envVars ...string) *cli.GenericFlag {
	return &cli.GenericFlag{Name: name, Usage: usage, Value: d, EnvVars: envVars}
}
