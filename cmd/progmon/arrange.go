package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// call is a command line that has been understood: the command it names, its
// flags wherever they stood, the environment in the place of flags that were
// not given, and the arguments.
type call struct {
	chain   []*cli.Command // the command, its subcommand, …
	own     [][]given      // the flags of each of them
	globals []given
	args    []string // what is no flag
	dashes  int      // how many args stood before "--"; -1 without one
	help    bool

	globalFlags []cli.Flag
}

// given is one flag as it was met, with the value that follows it.
type given struct {
	word, name, value string
}

// arrange reads the words after the program's name. cli stops looking for
// flags at the first argument, so that the --json of "status r1 --json" would
// be taken for a run; here flags may stand anywhere before "--", and the
// words after "--" are never looked at.
func arrange(e *env, words []string) (*call, error) {
	c := &call{dashes: -1, globalFlags: globalFlags()}
	var flags []given
	rest := words[1:]
	for len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		switch {
		case word == "--":
			c.dashes = len(c.args)
			c.args = append(c.args, rest...)
			rest = nil
		case word == "-h" || word == "--help":
			c.help = true
		case len(word) > 1 && word[0] == '-':
			if word == "--version" && len(c.chain) == 0 {
				word, rest = "version", nil
				c.chain = []*cli.Command{e.find(word).build(e)}
				break
			}
			g, used, err := c.flag(word, rest)
			if err != nil {
				return nil, c.withExample(err)
			}
			flags = append(flags, g)
			rest = rest[used:]
		default:
			if err := c.word(e, word); err != nil {
				return nil, err
			}
		}
	}
	if c.help {
		return c, nil
	}
	if err := c.settleAll(e, flags); err != nil {
		return nil, c.withExample(err)
	}
	return c, c.withExample(checkArgs(c))
}

// word takes a word that is no flag: the command, a subcommand, an argument.
func (c *call) word(e *env, word string) error {
	if len(c.chain) == 0 {
		if word == "help" {
			c.help = true
			return nil
		}
		found := e.find(word)
		if found == nil {
			return unknownCommand(e, word)
		}
		c.chain = append(c.chain, found.build(e))
		return nil
	}
	last := c.last()
	if len(last.Subcommands) == 0 {
		c.args = append(c.args, word)
		return nil
	}
	if word == "help" {
		c.help = true
		return nil
	}
	for _, sub := range last.Subcommands {
		if sub.HasName(word) {
			c.chain = append(c.chain, sub)
			return nil
		}
	}
	return unknownSubcommand(c, word)
}

func (c *call) last() *cli.Command { return c.chain[len(c.chain)-1] }

// path is how a person calls the command: progmon step done.
func (c *call) path() string {
	names := []string{"progmon"}
	for _, cmd := range c.chain {
		names = append(names, cmd.Name)
	}
	return strings.Join(names, " ")
}

// flag takes a flag and, out of rest, its value; used is how many words that
// took. Which command it belongs to is seen when all the words are read.
func (c *call) flag(word string, rest []string) (g given, used int, err error) {
	name, value, inline := strings.Cut(word, "=")
	f := c.lookup(name)
	if f == nil {
		return g, 0, c.unknownFlag(name)
	}
	g = given{name, f.Names()[0], value}
	switch {
	case inline:
	case !takesValue(f):
		g.value = "true"
	case len(rest) == 0:
		return g, 0, usagef("", "%s needs a value", name)
	case looksLikeFlag(rest[0]):
		return g, 0, usagef("", "%s needs a value; one that begins with a dash is written %s=%.80s", name, name, rest[0])
	default:
		g.value, used = rest[0], 1
	}
	if g.value == "" {
		return g, 0, usagef("", "the value of %s is empty", name)
	}
	return g, used, nil
}

// looksLikeFlag tells -x and --xyz from - (stdin) and from a negative number,
// which the flag itself refuses.
func looksLikeFlag(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.ContainsRune("0123456789.", rune(word[1]))
}

// lookup finds a flag by the word for it, -f or --name: in the commands met
// so far, below the last of them since it may stand before the subcommand,
// and among the global ones.
func (c *call) lookup(word string) cli.Flag {
	name, ok := strings.CutPrefix(word, "--")
	if !ok {
		name = strings.TrimPrefix(word, "-")
	}
	if ok != (len(name) > 1) {
		return nil
	}
	for _, cmd := range c.chain {
		if f := findFlag(cmd.Flags, name); f != nil {
			return f
		}
	}
	if len(c.chain) > 0 {
		for _, sub := range c.last().Subcommands {
			if f := findFlag(sub.Flags, name); f != nil {
				return f
			}
		}
	}
	return findFlag(c.globalFlags, name)
}

// canonical is the command line in the one order that cli reads correctly.
func (c *call) canonical() []string {
	words := spell([]string{"progmon"}, c.globals)
	for level, cmd := range c.chain {
		words = spell(append(words, cmd.Name), c.own[level])
	}
	return append(append(words, "--"), c.args...)
}

func spell(words []string, flags []given) []string {
	for _, g := range flags {
		words = append(words, "--"+g.name+"="+g.value)
	}
	return words
}

// global is what was said of a global flag, in order.
func (c *call) global(name string) []string {
	var values []string
	for _, g := range c.globals {
		if g.name == name {
			values = append(values, g.value)
		}
	}
	return values
}
