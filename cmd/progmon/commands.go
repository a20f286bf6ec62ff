package main

import "github.com/urfave/cli/v2"

// A command is one file, NAME.go, with one constructor and its action, and
// one line in the table below. Only the constructor of the command that was
// named runs, because progmon step done is called once a step and most of its
// time is spent before main: keep package variables constant, and build maps
// and expressions where they are used.
//
//	func holdCommand(e *env) *cli.Command {
//		limit := durationFlag(0)
//		return &cli.Command{
//			Name:        "hold",
//			Usage:       "declare a wait",
//			ArgsUsage:   "[RUN]",
//			UsageText:   "progmon hold nightly --for 20m --reason 'rate limit'",
//			Description: "A hold is …",
//			Flags: []cli.Flag{
//				newDurationFlag(&limit, "for", "how long `FOR` at most", "PROGMON_HOLD_FOR"),
//				&cli.StringFlag{Name: "reason", Usage: "why"},
//			},
//			Action: func(c *cli.Context) error {
//				if limit == 0 {
//					return usagef("", "flag --for is missing")
//				}
//				…
//				e.printf("…\n")
//				return nil
//			},
//		}
//	}
//
// What the fields mean to the frame:
//
//   - ArgsUsage is the rule, and the frame holds it: "RUN" one argument,
//     "[RUN]" at most one, "RUN..." one or more, "[RUN...]" any number, empty
//     none, "-- CMD [ARG...]" the words of another program, after "--" only.
//     An action finds what it asked for in c.Args().
//   - UsageText is examples, a line each, that run as they stand. The first is
//     the second line of every usage error of the command.
//   - Usage is half a line, lower case, without a full stop; Description is
//     prose. In the Usage of a flag, `NAME` in backquotes names its value.
//   - Flags never set Required; the action checks, and returns usagef("", …).
//     EnvVars lists the PROGMON_… twin. A flag that was given wins, an empty
//     variable counts as unset, and c.IsSet is true for both ways.
//   - Subcommands make the command a family: it has no Action and no
//     arguments of its own, and "-" is a legal name for one of them.
//   - A length of time is a newDurationFlag, a name from outside is shown
//     through printable or %q.
//
// An action opens the trail with e.makeTrail when it begins something, with
// e.openTrail when it writes to what is there, with e.readTrail when it only
// looks; all three take c.Context.
//
// An action gets a context that ends at SIGINT and SIGTERM (c.Context). What
// it returns is told to the user and made the exit code: see exitCode for
// what the errors of the rooms mean, withCode for those that say too little,
// withHint for what the user can do, exitStatus for a code without a word.

// entry is a line of the table.
type entry struct {
	name, usage string
	build       func(*env) *cli.Command // nil: not in this build
}

// section is a heading in the list of commands.
type section struct {
	title   string
	entries []entry
}

// commandTable is every command, in the order in which --help lists them. It
// is a function so that it costs nothing before main.
func commandTable() []section {
	return []section{
		{"Record work", []entry{
			{"run", "run a command as a worker, watched and recorded", runCommand},
			{"adopt", "put a running process under watch", adoptCommand},
			{"start", "open a run that has no process of its own", startCommand},
			{"step", "begin, finish, fail, skip or mark a step", stepCommand},
			{"claim", "take the next step of a run", claimCommand},
			{"takeover", "replace the worker of a run: raise its epoch", takeoverCommand},
			{"total", "declare or change the number of steps", totalCommand},
			{"hold", "declare a wait with a limit", holdCommand},
			{"resume", "end a hold", resumeCommand},
			{"finish", "record how a run ended", finishCommand},
			{"cancel", "end a run because a person says so", cancelCommand},
		}},
		{"Watch it", []entry{
			{"watch", "look again and again, and say what changed", watchCommand},
			{"status", "judge every run now", statusCommand},
			{"show", "judge one run, with the evidence", showCommand},
			{"ready", "ask whether a run is in rotation", readyCommand},
			{"events", "print the log as JSON lines", eventsCommand},
			{"serve", "serve a page and metrics", nil},
		}},
		{"Deal with a worker", []entry{
			{"log", "print what a wrapped worker wrote", logCommand},
			{"stop", "stop a wrapped worker", stopCommand},
			{"capture", "keep evidence of a wrapped worker", captureCommand},
			{"review", "accept or reject what a run produced", reviewCommand},
		}},
		{"Look back", []entry{
			{"audit", "report on a period", nil},
			{"replay", "judge a tape, or the past, by other thresholds", replayCommand},
			{"policy", "check or show thresholds", policyCommand},
		}},
		{"Keep house", []entry{
			{"db", "verify the trail, or copy it", dbCommand},
			{"sinks", "test the sinks, or look at the outbox", sinksCommand},
			{"doctor", "find out what is wrong with this machine's set-up", doctorCommand},
			{"demo", "watch real workers for half a minute", demoCommand},
			{"completion", "print the completion script of a shell", completionCommand},
			{"man", "print the manual page", nil},
			{"version", "print the version", versionCommand},
		}},
	}
}

// find is the entry of the command called name, or nil.
func (e *env) find(name string) *entry {
	for _, s := range e.table() {
		for i := range s.entries {
			if s.entries[i].name == name && s.entries[i].build != nil {
				return &s.entries[i]
			}
		}
	}
	return nil
}

// commandNames are the names of all commands of this build.
func (e *env) commandNames() []string {
	var all []string
	for _, s := range e.table() {
		for _, each := range s.entries {
			if each.build != nil {
				all = append(all, each.name)
			}
		}
	}
	return all
}
