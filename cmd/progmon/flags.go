package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"
)

// globalFlags hold for every command. They may stand anywhere before "--".
// Their values reach a command through env.
func globalFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "db", Usage: "the database `FILE` (default: progmon/progmon.db in the XDG state directory)",
			EnvVars: []string{"PROGMON_DB"}},
		&cli.StringSliceFlag{Name: "root", Usage: "a `DIR` of run directories; may be repeated",
			EnvVars: []string{"PROGMON_ROOT", "RUN_ROOT"}},
		&cli.StringFlag{Name: "policy", Usage: "the `FILE` of thresholds",
			EnvVars: []string{"PROGMON_POLICY"}},
		&cli.BoolFlag{Name: "json", Usage: "answer in JSON", EnvVars: []string{"PROGMON_JSON"}},
	}
}

// runFlag names the run that a worker's command is about. The wrapper sets
// its variable for the worker.
func runFlag() *cli.StringFlag {
	return &cli.StringFlag{Name: "run", Usage: "the `RUN`", EnvVars: []string{"PROGMON_RUN"}}
}

// epochFlag is the fencing token a worker was given. See epoch.
func epochFlag() *cli.Int64Flag {
	return &cli.Int64Flag{Name: "epoch", Usage: "the `EPOCH` this worker was given", DefaultText: "none named",
		EnvVars: []string{"PROGMON_EPOCH"}}
}

// required is the value of the string flag name, or a usage error. cli's own Required is never used: it prints help on stdout.
func required(c *cli.Context, name string) (string, error) {
	if v := c.String(name); v != "" {
		return v, nil
	}
	return "", usagef("", "flag --%s is missing", name)
}

// epoch is the epoch that --epoch or PROGMON_EPOCH names, and whether either
// does. A write that names none is fenced only until the first takeover.
func epoch(c *cli.Context) (int64, bool) {
	return c.Int64("epoch"), c.IsSet("epoch")
}

// findFlag is the flag that answers to name, or nil.
func findFlag(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

// takesValue says that a flag is followed by a value.
func takesValue(f cli.Flag) bool {
	doc, ok := f.(cli.DocGenerationFlag)
	return ok && doc.TakesValue()
}

// settle checks what a flag was given and returns it in the form in which cli
// reads it. cli takes 010 for eight and 0x10 for sixteen; people do not.
func settle(f cli.Flag, value string) (string, error) {
	var err error
	switch f := f.(type) {
	case *cli.BoolFlag:
		_, err = strconv.ParseBool(value)
		return value, reword(err, value, "true or false")
	case *cli.IntFlag, *cli.Int64Flag:
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		return strconv.FormatInt(n, 10), reword(err, value, "a whole number")
	case *cli.UintFlag, *cli.Uint64Flag:
		var n uint64
		n, err = strconv.ParseUint(value, 10, 64)
		return strconv.FormatUint(n, 10), reword(err, value, "a whole number from 0")
	case *cli.Float64Flag:
		_, err = strconv.ParseFloat(value, 64)
		return value, reword(err, value, "a number")
	case *cli.GenericFlag:
		return value, f.Value.Set(value)
	}
	return value, nil
}

func reword(err error, value, wanted string) error {
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range", value)
	case err != nil:
		return fmt.Errorf("%q is not %s", value, wanted)
	}
	return nil
}

// variables are the names of a flag's environment twins.
func variables(f cli.Flag) []string {
	if doc, ok := f.(cli.DocGenerationFlag); ok {
		return doc.GetEnvVars()
	}
	return nil
}

// asUsage makes a complaint of cli's parser ours. What arrange has settled it
// accepts, so this is a second fence.
func asUsage(_ *cli.Context, err error, _ bool) error {
	return usagef("", "%v", err)
}

// disown takes the environment twins from a flag. The frame has read them: cli
// trips over a bad variable even where the flag is given.
func disown(f cli.Flag) {
	switch f := f.(type) {
	case *cli.StringFlag:
		f.EnvVars = nil
	case *cli.StringSliceFlag:
		f.EnvVars = nil
	case *cli.BoolFlag:
		f.EnvVars = nil
	case *cli.IntFlag:
		f.EnvVars = nil
	case *cli.Int64Flag:
		f.EnvVars = nil
	case *cli.UintFlag:
		f.EnvVars = nil
	case *cli.Uint64Flag:
		f.EnvVars = nil
	case *cli.Float64Flag:
		f.EnvVars = nil
	case *cli.GenericFlag:
		f.EnvVars = nil
	default:
		panic(fmt.Sprintf("flag %s is of a kind the frame does not know", f.Names()[0]))
	}
}
