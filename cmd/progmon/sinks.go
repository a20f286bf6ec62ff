package main

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/sink"
)

func sinksCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "sinks",
		Usage: "test the sinks, or look at the outbox",
		UsageText: "progmon sinks test page --policy policy.toml\n" +
			"progmon sinks outbox list",
		Description: "Sinks are where progmon watch delivers signals to: the tables [sink.NAME] of the policy file. A signal is kept in " +
			"the outbox of the trail until its sink has taken it.",
		Subcommands: []*cli.Command{sinksTest(e), sinksOutbox(e)},
	}
}

func sinksTest(e *env) *cli.Command {
	return &cli.Command{
		Name:      "test",
		Usage:     "send a message that is marked as a test, and say what came back",
		ArgsUsage: "NAME",
		UsageText: "progmon sinks test page --policy policy.toml",
		Description: "It goes to the sink once, past the outbox, whatever the filters are; what came back is printed. Exits 0 when it " +
			"was taken, and 69 when not.",
		Action: func(c *cli.Context) error {
			s, err := e.sinkNamed(c.Args().First())
			if err != nil {
				return err
			}
			path, err := e.db()
			if err != nil {
				return err
			}
			sender, err := sink.NewSender(s, progmonVersion(), path)
			if err != nil {
				return withCode(exitPolicy, fmt.Errorf("[sink.%s]: %w", s.Name, err))
			}
			defer sender.Close()
			began := time.Now()
			answer, err := sink.Test(c.Context, s, sender, "test", e.now())
			if e.json {
				doc := struct {
					Sink   string   `json:"sink"`
					Type   string   `json:"type"`
					Taken  bool     `json:"taken"`
					Answer string   `json:"answer"`
					Error  string   `json:"error"`
					Took   *float64 `json:"took_s"`
				}{Sink: s.Name, Type: s.Type, Taken: err == nil, Answer: answer, Took: seconds(time.Since(began))}
				if err != nil {
					doc.Error = err.Error()
					err = exitStatus(exitUnavailable)
				}
				if printed := e.printJSON(doc); printed != nil {
					return printed
				}
				return err
			}
			if err != nil {
				return withCode(exitUnavailable, fmt.Errorf("sink %s took nothing: %w", s.Name, err))
			}
			e.printf("%s took it: %s\n", s.Name, printable(firstOf(answer, "and said nothing")))
			return nil
		},
	}
}
