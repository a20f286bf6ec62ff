package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
)

// settleAll gives each flag to the innermost command that has it, adds what
// the environment says of the flags that were not given, and checks values.
func (c *call) settleAll(e *env, flags []given) error {
	if len(c.chain) == 0 {
		return usagef("", "no command was given")
	}
	if subs := c.last().Subcommands; len(subs) > 0 {
		return usagef("", "%s needs one of: %s", c.path(), strings.Join(names(subs), ", "))
	}
	var err error
	c.own = make([][]given, len(c.chain))
	for level := len(c.chain) - 1; level >= 0; level-- {
		if c.own[level], flags, err = claimFlags(e, c.chain[level].Flags, flags); err != nil {
			return err
		}
	}
	if c.globals, flags, err = claimFlags(e, c.globalFlags, flags); err != nil {
		return err
	}
	if len(flags) > 0 {
		return c.unknownFlag(flags[0].word)
	}
	return nil
}

// claimFlags takes out of flags those of a command, or their variables.
func claimFlags(e *env, known []cli.Flag, flags []given) (own, left []given, err error) {
	for _, g := range flags {
		if f := findFlag(known, g.name); f == nil {
			left = append(left, g)
		} else if g.value, err = settle(f, g.value); err != nil {
			return nil, nil, usagef("", "%s: %v", g.word, err)
		} else {
			own = append(own, g)
		}
	}
	for _, f := range known {
		name := f.Names()[0]
		for _, variable := range variables(f) {
			value := e.getenv(variable)
			if value == "" || has(own, name) {
				continue
			}
			if value, err = settle(f, value); err != nil {
				return nil, nil, usagef("", "the variable %s: %v", variable, err)
			}
			for _, v := range split(f, value) {
				own = append(own, given{variable, name, v})
			}
		}
		disown(f)
	}
	return own, left, nil
}

// split parts a variable that lists several values as PATH does.
func split(f cli.Flag, value string) []string {
	if _, several := f.(*cli.StringSliceFlag); several {
		return filepath.SplitList(value)
	}
	return []string{value}
}

func has(flags []given, name string) bool {
	for _, g := range flags {
		if g.name == name {
			return true
		}
	}
	return false
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
		return fmt.Errorf("%.80s is out of range", value)
	case err != nil:
		return fmt.Errorf("%s is not %s", policy.Said(value), wanted)
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
