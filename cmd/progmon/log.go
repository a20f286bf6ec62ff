package main

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/supervise"
)

func logCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "log",
		Usage:     "print what a wrapped worker wrote",
		ArgsUsage: "RUN",
		UsageText: "progmon log crawl-7\nprogmon log crawl-7 -f",
		Description: "Prints the last lines of worker.log, of at most 1 MiB in all. With -f it goes on as the log grows, also " +
			"when it is rotated or cut and when the run goes on in a new epoch, until the run has ended. What a terminal " +
			"might obey is written as an escape. A log is what a worker says, and no evidence of what it did.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on as the log grows, until the run has ended"},
			&cli.IntFlag{Name: "lines", Aliases: []string{"n"}, Usage: "the `NUMBER` of lines to begin with", Value: 200},
		},
		Action: func(c *cli.Context) error {
			if c.Int("lines") < 0 {
				return usagef("", "--lines %d is negative", c.Int("lines"))
			}
			return e.log(c.Context, c.Args().First(), c.Int("lines"), c.Bool("follow"))
		},
	}
}

func (e *env) log(ctx context.Context, run string, lines int, on bool) error {
	r, err := e.readDir(run)
	if err != nil {
		return err
	}
	defer r.Close()
	out := &escaper{out: e.stdout}
	place, err := supervise.Tail(r, lines, out)
	if err == nil && on {
		err = supervise.Follow(ctx, r, place, out)
	}
	out.end()
	return err
}

// escaper writes text on as printable does, a piece at a time: lines stay
// lines, tabs stay tabs, and a character may come in two pieces.
type escaper struct {
	out     io.Writer
	kept    []byte // the beginning of a character
	midline bool   // the last line has no end yet
}

// Write implements io.Writer.
func (w *escaper) Write(p []byte) (int, error) {
	text := append(w.kept, p...)
	cut := len(text) - partial(text)
	w.kept = bytes.Clone(text[cut:])
	return len(p), w.write(text[:cut])
}

func (w *escaper) write(text []byte) error {
	var b bytes.Buffer
	for len(text) > 0 {
		i := bytes.IndexAny(text, "\n\t")
		if i < 0 {
			b.WriteString(printable(string(text)))
			break
		}
		b.WriteString(printable(string(text[:i])))
		b.WriteByte(text[i])
		text = text[i+1:]
	}
	if b.Len() > 0 {
		w.midline = b.Bytes()[b.Len()-1] != '\n'
	}
	_, err := w.out.Write(b.Bytes())
	return err
}

// end writes what is kept and ends the last line.
func (w *escaper) end() {
	_ = w.write(w.kept) // e.stdout keeps the error
	if w.kept = nil; w.midline {
		_, _ = io.WriteString(w.out, "\n")
	}
}

// partial is how many bytes at the end of text are the beginning of a
// character that may go on.
func partial(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if at := text[len(text)-n:]; utf8.RuneStart(at[0]) {
			if !utf8.FullRune(at) {
				return n
			}
			break
		}
	}
	return 0
}
