package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
)

// unknownCommand says so, and shows a command that was perhaps meant.
func unknownCommand(e *env, word string) error {
	meant, near := nearest(word, e.commandNames())
	if !near {
		return usagef("progmon --help", "unknown command %s", policy.Said(word))
	}
	example := exampleOf(e.find(meant).build(e))
	return usagef(example, "unknown command %s; did you mean %s?", policy.Said(word), meant)
}

func unknownSubcommand(c *call, word string) error {
	subs := c.last().Subcommands
	if meant, near := nearest(word, names(subs)); near {
		for _, sub := range subs {
			if sub.Name == meant {
				return usagef(exampleOf(sub), "%s has no %s; did you mean %s?", c.path(), policy.Said(word), meant)
			}
		}
	}
	return usagef(exampleOf(c.last()), "%s has no %s; it has: %s", c.path(), policy.Said(word), strings.Join(names(subs), ", "))
}

func (c *call) unknownFlag(word string) error {
	if isNumber(word) {
		return usagef("", "unknown flag %s; an argument that begins with a dash goes after --", policy.Said(word))
	}
	flags := c.globalFlags
	for _, cmd := range c.chain {
		flags = append(flags[:len(flags):len(flags)], cmd.Flags...)
	}
	var known []string
	for _, f := range flags {
		known = append(known, spelled(f)...)
	}
	where := ""
	if len(c.chain) == 0 {
		where = " before the command"
	}
	if meant, near := nearest(word, known); near {
		return usagef("", "unknown flag %s%s; did you mean %s?", policy.Said(word), where, meant)
	}
	return usagef("", "unknown flag %s%s", policy.Said(word), where)
}

func isNumber(word string) bool {
	return strings.Trim(word, "-.0123456789") == ""
}

// spelled is a flag as it is typed: --follow, -f.
func spelled(f cli.Flag) []string {
	var words []string
	for _, name := range f.Names() {
		dashes := "--"
		if len(name) == 1 {
			dashes = "-"
		}
		words = append(words, dashes+name)
	}
	return words
}

func names(cmds []*cli.Command) []string {
	var all []string
	for _, cmd := range cmds {
		if !cmd.Hidden {
			all = append(all, cmd.Name)
		}
	}
	return all
}

// exampleOf is a command line that can be run as it stands.
func exampleOf(cmd *cli.Command) string {
	if first, _, _ := strings.Cut(cmd.UsageText, "\n"); first != "" {
		return strings.TrimSpace(first)
	}
	for _, sub := range cmd.Subcommands {
		return exampleOf(sub)
	}
	return fmt.Sprintf("progmon %s --help", cmd.Name)
}

// withExample gives a usage error without an example that of the command.
func (c *call) withExample(err error) error {
	usage, ok := err.(*usageError)
	if ok && usage.example == "" && len(c.chain) > 0 {
		usage.example = exampleOf(c.last())
	}
	return err
}

// nearest is the candidate at most two slips away from word, a third of its
// letters at most.
func nearest(word string, candidates []string) (string, bool) {
	best, found := 3, ""
	for _, candidate := range candidates {
		d := slips(word, candidate)
		if d < best && 3*d <= len(candidate) {
			best, found = d, candidate
		}
	}
	return found, found != ""
}

// slips counts the letters to add, drop, change or swap with a neighbour
// between a and b.
func slips(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
