package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
)

// arity is how many arguments an ArgsUsage allows.
type arity struct {
	least, most int    // most is -1 for any number
	missing     string // the names of those that must be there
	foreign     bool   // the arguments are another program's, after "--"
}

// readArity reads an ArgsUsage: names in order, in brackets those that may be
// left out, with dots those that may be repeated.
func readArity(usage string) arity {
	var a arity
	var must []string
	for _, word := range strings.Fields(usage) {
		if word == "--" {
			a.foreign = true
			continue
		}
		if strings.HasSuffix(strings.TrimSuffix(word, "]"), "...") {
			a.most = -1
		} else if a.most >= 0 {
			a.most++
		}
		if !strings.HasPrefix(word, "[") {
			a.least++
			must = append(must, strings.TrimSuffix(word, "..."))
		}
	}
	a.missing = strings.Join(must, " ")
	return a
}

// checkArgs holds the command to its ArgsUsage.
func checkArgs(c *call) error {
	a, n := readArity(c.last().ArgsUsage), len(c.args)
	if i := slices.Index(c.args, ""); i >= 0 && takesRun(c.last(), i) {
		return usagef("", "the run is named by an empty word: is a variable unset?")
	}
	switch {
	case a.foreign && (c.dashes > 0 || c.dashes < 0 && n > 0):
		return usagef("", "%s takes its command after --, not %s", c.path(), policy.Said(c.args[0]))
	case n < a.least && a.foreign:
		return usagef("", "%s needs %s after --", c.path(), a.missing)
	case n < a.least:
		return usagef("", "%s needs %s", c.path(), a.missing)
	case a.most >= 0 && n > a.most:
		return usagef("", "unexpected argument %s", policy.Said(c.args[a.most]))
	}
	return nil
}

// printHelp answers --help and help: on stdout, since it was asked for.
func (c *call) printHelp(e *env) error {
	var b strings.Builder
	if len(c.chain) == 0 {
		helpOnAll(&b, e.table())
	} else {
		c.helpOnOne(&b)
	}
	e.printf("%s", b.String())
	return nil
}

func helpOnAll(b *strings.Builder, table []section) {
	b.WriteString("progmon tells whether long-running work is moving.\n\n" +
		"usage: progmon [FLAGS] COMMAND [FLAGS] [ARGUMENTS]\n" +
		"       progmon help COMMAND\n")
	for _, s := range table {
		var rows [][2]string
		for _, each := range s.entries {
			if each.build != nil {
				rows = append(rows, [2]string{each.name, each.usage})
			}
		}
		if len(rows) > 0 {
			columns(b, s.title, rows)
		}
	}
	columns(b, "Flags of every command, before or after it", flagRows(globalFlags()))
	b.WriteString("\nA length of time is written 90s, 20m, 2h, 1d, 1w, 500ms or 1h30m.\n")
	rows := make([][2]string, len(exitMeanings))
	for i, m := range exitMeanings {
		rows[i] = [2]string{fmt.Sprintf("%3d", m.code), m.meaning}
	}
	columns(b, "Exit codes", rows)
}

func (c *call) helpOnOne(b *strings.Builder) {
	cmd := c.last()
	fmt.Fprintf(b, "%s: %s\n\nusage: %s", c.path(), cmd.Usage, c.path())
	if len(cmd.Flags) > 0 {
		b.WriteString(" [FLAGS]")
	}
	if len(cmd.Subcommands) > 0 {
		b.WriteString(" COMMAND [FLAGS] [ARGUMENTS]")
	}
	if cmd.ArgsUsage != "" {
		b.WriteString(" " + cmd.ArgsUsage)
	}
	b.WriteString("\n")
	if cmd.Description != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(cmd.Description))
	}
	var rows [][2]string
	for _, sub := range cmd.Subcommands {
		if !sub.Hidden {
			rows = append(rows, [2]string{strings.TrimSpace(sub.Name + " " + sub.ArgsUsage), sub.Usage})
		}
	}
	columns(b, "Commands", rows)
	for i := len(c.chain) - 1; i >= 0; i-- {
		columns(b, "Flags", flagRows(c.chain[i].Flags))
	}
	columns(b, "Flags of every command", flagRows(globalFlags()))
	if cmd.UsageText != "" {
		b.WriteString("\nExamples\n")
		for line := range strings.Lines(cmd.UsageText) {
			fmt.Fprintf(b, "  %s\n", strings.TrimSpace(line))
		}
	}
}

// flagRows describe flags: how it is typed, what it does, the default and the
// variable beside it.
func flagRows(flags []cli.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if visible, has := f.(cli.VisibleFlag); !ok || has && !visible.IsVisible() {
			continue
		}
		value, usage := unquote(doc.GetUsage())
		left := strings.Join(spelled(f), ", ")
		if doc.TakesValue() {
			left += " " + firstOf(value, strings.ToUpper(f.Names()[0]))
		}
		var notes []string
		if d := doc.GetDefaultText(); d != "" && doc.TakesValue() && d != "0" && d != `""` {
			notes = append(notes, "default "+strings.Trim(d, `"`))
		}
		for _, v := range doc.GetEnvVars() {
			notes = append(notes, "$"+v)
		}
		if len(notes) > 0 {
			usage += " [" + strings.Join(notes, ", ") + "]"
		}
		rows = append(rows, [2]string{left, usage})
	}
	return rows
}

// unquote takes out the name in backquotes, which stands for the value.
func unquote(usage string) (name, plain string) {
	before, rest, ok := strings.Cut(usage, "`")
	name, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return "", usage
	}
	return name, before + name + after
}

// columns writes rows under a title, the second column aligned.
func columns(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[0]))
	}
	fmt.Fprintf(b, "\n%s\n", title)
	for _, row := range rows {
		fmt.Fprintf(b, "  %-*s  %s\n", width, row[0], row[1])
	}
}
