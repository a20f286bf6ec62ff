package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// askCandidates is the word by which a completion script asks. cli's own
// scripts put it last, ours first.
const askCandidates = "--generate-bash-completion"

// completionRequest tells a request of a completion script from a command
// line, and gives the words typed so far, the last of them half typed. Such a
// request never runs anything, wherever the word stands: cli looks for it in
// one place only, and after "--" would run what is being typed.
func completionRequest(args []string) (words []string, ok bool) {
	if len(args) < 2 || !slices.Contains(args[1:], askCandidates) {
		return nil, false
	}
	if args[1] == askCandidates {
		return args[2:], true
	}
	words = args[1 : 1+slices.Index(args[1:], askCandidates)]
	if n := len(words); n == 0 || !strings.HasPrefix(words[n-1], "-") {
		words = append(slices.Clone(words), "")
	}
	return words, true
}

// completeWithin is how long the shell of a person who typed TAB waits.
const completeWithin = 2 * time.Second

// complete prints the candidates for the last word, one a line. It prints
// none where a file or another program's words go; there the shell does what
// it does for any command. It makes nothing, and has nothing to say of what it
// cannot read.
func complete(e *env, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	half := words[len(words)-1]
	for _, candidate := range candidates(e, words[:len(words)-1], half) {
		if strings.HasPrefix(candidate, half) {
			e.printf("%s\n", candidate)
		}
	}
}

func candidates(e *env, before []string, half string) []string {
	c := &call{globalFlags: globalFlags()}
	awaitsValue, of := false, ""
	for _, word := range before {
		switch {
		case word == "--":
			return nil
		case awaitsValue:
			// bash makes three words of --db=FILE, and = the second of them.
			awaitsValue = word == "="
			if of == "db" && !awaitsValue {
				e.dbFlag = word
			}
		case strings.HasPrefix(word, "-") && word != "-":
			name, value, inline := strings.Cut(word, "=")
			f := c.lookup(name)
			awaitsValue = f != nil && !inline && takesValue(f)
			if of = ""; f != nil {
				of = f.Names()[0]
			}
			if of == "db" && inline {
				e.dbFlag = value
			}
		default:
			// A word that is no command leaves the call as it was.
			_ = c.word(e, word)
			if len(c.chain) == 0 && word != "help" {
				return nil
			}
		}
	}
	switch {
	case awaitsValue && of == "run":
		return runCandidates(e, half)
	case awaitsValue:
		return nil
	case strings.HasPrefix(half, "-") && half != "-":
		return flagCandidates(c)
	case len(c.chain) == 0:
		return append(e.commandNames(), "help")
	case len(c.last().Subcommands) > 0:
		return names(c.last().Subcommands)
	case takesRun(c.last(), len(c.args)) && c.last().Name != "start": // which wants a new id
		return runCandidates(e, half)
	default:
		return choices(c.last().ArgsUsage, len(c.args))
	}
}

// takesRun says that the argument of cmd at index n is a run.
func takesRun(cmd *cli.Command, n int) bool {
	words := strings.Fields(cmd.ArgsUsage)
	if len(words) == 0 {
		return false
	}
	word, several := strings.CutSuffix(strings.Trim(words[min(n, len(words)-1)], "[]"), "...")
	return word == "RUN" && (several || n < len(words))
}

// runCandidates are the runs that the half typed word can become.
func runCandidates(e *env, half string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), e.completeWithin)
	defer cancel()
	if e.dbFlag == "" {
		e.dbFlag = e.getenv("PROGMON_DB")
	}
	r, err := e.readTrail(ctx, store.WithBusyTimeout(e.completeWithin))
	if err != nil {
		return nil
	}
	defer r.Close()
	runs, _ := r.RunsNamed(ctx, half)
	return slices.DeleteFunc(runs, func(id string) bool { return !cursor.ValidName(id) })
}

// choices are the words that an ArgsUsage like bash|zsh|fish allows for the
// argument at index n.
func choices(usage string, n int) []string {
	if words := strings.Fields(usage); n < len(words) && strings.Contains(words[n], "|") {
		return strings.Split(words[n], "|")
	}
	return nil
}

func flagCandidates(c *call) []string {
	all := []string{"--help"}
	for _, f := range c.globalFlags {
		all = append(all, spelled(f)...)
	}
	for _, cmd := range c.chain {
		for _, f := range cmd.Flags {
			all = append(all, spelled(f)...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
