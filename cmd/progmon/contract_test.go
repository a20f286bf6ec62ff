package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// each walks all commands of this build, subcommands too.
func each(t *testing.T, visit func(path []string, cmd *cli.Command)) {
	t.Helper()
	var walk func([]string, *cli.Command)
	walk = func(path []string, cmd *cli.Command) {
		path = append(path[:len(path):len(path)], cmd.Name)
		visit(path, cmd)
		for _, sub := range cmd.Subcommands {
			walk(path, sub)
		}
	}
	e := newEnv(nil, &bytes.Buffer{}, &bytes.Buffer{})
	for _, name := range e.commandNames() {
		walk(nil, e.find(name).build(e))
	}
}

// TestEveryCommandKeepsToTheFrame holds each command to what commands.go says
// of the fields of a command.
func TestEveryCommandKeepsToTheFrame(t *testing.T) {
	each(t, func(path []string, cmd *cli.Command) {
		name := strings.Join(path, " ")
		family := len(cmd.Subcommands) > 0
		if family == (cmd.Action != nil) {
			t.Errorf("%s: a command has either an Action or Subcommands", name)
		}
		if family && cmd.ArgsUsage != "" {
			t.Errorf("%s: a family of commands takes no arguments of its own", name)
		}
		if !family && !strings.HasPrefix(cmd.UsageText, "progmon ") {
			t.Errorf("%s: UsageText %q does not begin with an example", name, cmd.UsageText)
		}
		if cmd.Usage == "" || strings.HasSuffix(cmd.Usage, ".") || cmd.Usage[:1] != strings.ToLower(cmd.Usage[:1]) {
			t.Errorf("%s: Usage %q is not half a line, lower case, without a full stop", name, cmd.Usage)
		}
		if cmd.Before != nil || cmd.After != nil || cmd.BashComplete != nil || cmd.SkipFlagParsing || cmd.UseShortOptionHandling {
			t.Errorf("%s: uses a device of cli that the frame does not carry", name)
		}
		for _, f := range cmd.Flags {
			if required, ok := f.(cli.RequiredFlag); ok && required.IsRequired() {
				t.Errorf("%s: flag %s is Required; check it in the action", name, f.Names()[0])
			}
			for _, v := range variables(f) {
				if !strings.HasPrefix(v, "PROGMON_") {
					t.Errorf("%s: the variable %s of flag %s is not PROGMON_…", name, v, f.Names()[0])
				}
			}
			if findFlag(globalFlags(), f.Names()[0]) != nil {
				t.Errorf("%s: flag %s hides the global one", name, f.Names()[0])
			}
			disown(f) // panics for a kind of flag that the frame does not know
		}
	})
}

// TestSubcommandsAgreeOnTheirFlags: a flag may stand before its subcommand,
// so whether a value follows it must not depend on which that is.
func TestSubcommandsAgreeOnTheirFlags(t *testing.T) {
	each(t, func(path []string, cmd *cli.Command) {
		takes := map[string]bool{}
		for _, sub := range cmd.Subcommands {
			for _, f := range sub.Flags {
				for _, n := range f.Names() {
					if before, met := takes[n]; met && before != takesValue(f) {
						t.Errorf("%s: flag %s takes a value in one subcommand and none in another", strings.Join(path, " "), n)
					}
					takes[n] = takesValue(f)
				}
			}
		}
	})
}

// TestExamplesAreGoodCommandLines: an example that is itself a usage error is
// of no help.
func TestExamplesAreGoodCommandLines(t *testing.T) {
	each(t, func(path []string, cmd *cli.Command) {
		for line := range strings.Lines(cmd.UsageText) {
			words := strings.Fields(strings.TrimSpace(line))
			if len(words) == 0 || words[0] != "progmon" || strings.ContainsAny(line, "|<>'\"") {
				continue // for the shell to read
			}
			if _, err := arrange(newEnv(nil, &bytes.Buffer{}, &bytes.Buffer{}), words); err != nil {
				t.Errorf("%s: example %q: %v", strings.Join(path, " "), line, err)
			}
		}
	})
}

// TestEveryCommandRefusesJunk drives the whole program: each command with a
// flag and an argument that it cannot have.
func TestEveryCommandRefusesJunk(t *testing.T) {
	each(t, func(path []string, cmd *cli.Command) {
		for _, junk := range []string{"--no-such-flag", "-rf", "-7"} {
			var out, errOut bytes.Buffer
			args := append(append([]string{"progmon"}, path...), junk)
			code := run(args, strings.NewReader(""), &out, &errOut)
			lines := strings.Count(errOut.String(), "\n")
			if code != exitUsage || out.Len() > 0 || lines != 2 || !strings.Contains(errOut.String(), "\nprogmon: try: progmon ") {
				t.Errorf("%q = %d, stdout %q, stderr %q, want a usage error", args, code, &out, &errOut)
			}
		}
		var out, errOut bytes.Buffer
		if code := run(append(append([]string{"progmon"}, path...), "--help"), nil, &out, &errOut); code != 0 || out.Len() == 0 || errOut.Len() > 0 {
			t.Errorf("%q --help = %d, stderr %q", path, code, &errOut)
		}
		out.Reset()
		for _, last := range []string{"", "-", "--", "--no-such", "\x00"} {
			args := append(append([]string{"progmon", askCandidates}, path...), last)
			if code := run(args, nil, &out, &errOut); code != 0 || errOut.Len() > 0 {
				t.Errorf("%q = %d, stderr %q", args, code, &errOut)
			}
		}
	})
}
