package main

import "github.com/urfave/cli/v2"

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

// asUsage makes a complaint of cli's parser ours. What arrange has settled it
// accepts, so this is a second fence.
func asUsage(_ *cli.Context, err error, _ bool) error {
	return usagef("", "%v", err)
}
