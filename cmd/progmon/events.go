package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/follow"
	"github.com/progmon/progmon/store"
)

// followInterval is how often events --follow looks for more.
const followInterval = 200 * time.Millisecond

func eventsCommand(e *env) *cli.Command {
	var since int64
	var limit int
	length := durationFlag(0)
	return &cli.Command{
		Name:  "events",
		Usage: "print the log as JSON lines",
		UsageText: "progmon events --run nightly\n" +
			"progmon events --follow --since 1024 --for 10m",
		Description: "A line for each row of the log, in the order in which they were written; columns without a value are " +
			"left out. The id of the last line is the --since of the next call. --follow goes on with what is added, " +
			"until the limit, the time of --for, or a signal ends it. A trail that cannot be read is blind: 3.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on with what is added"},
			&cli.Int64Flag{Name: "since", Usage: "only what came after the event with this `ID`", Destination: &since},
			&cli.StringFlag{Name: "run", Usage: "only events of this `RUN`"},
			&cli.IntFlag{Name: "limit", Usage: "at most this `MANY`", Destination: &limit},
			newDurationFlag(&length, "for", "follow for so `LONG`"),
		},
		Action: func(c *cli.Context) error {
			filter := store.EventFilter{Since: since, Run: c.String("run"), Limit: limit}
			switch {
			case since < 0:
				return usagef("", "--since %d: events count from 1", since)
			case c.IsSet("limit") && limit < 1:
				return usagef("", "--limit %d is no limit", limit)
			case c.IsSet("for") && !c.Bool("follow"):
				return usagef("", "--for goes with --follow")
			case c.IsSet("run"):
				if err := checkRun(filter.Run); err != nil {
					return err
				}
			}
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			pace := follow.Pace{For: time.Duration(length)}
			if c.Bool("follow") {
				pace.Interval = followInterval
			}
			err = e.events(c.Context, r, filter, pace)
			if closed := r.Close(); err == nil {
				err = closed
			}
			return err
		},
	}
}

// events prints what filter wants, and follows at a pace if there is one.
func (e *env) events(ctx context.Context, r *store.Reader, filter store.EventFilter, pace follow.Pace) error {
	last, err := follow.Log(ctx, r, filter, pace, e.printEvents)
	if err != nil || pace.Interval > 0 || filter.Run == "" || last != filter.Since {
		return err
	}
	// Nothing came of a run that was named: is there one?
	first, err := r.Events(ctx, store.EventFilter{Run: filter.Run, Limit: 1})
	if err != nil || len(first) > 0 {
		return err
	}
	return target{run: filter.Run}.explain(fmt.Errorf("events of run %q: %w", filter.Run, store.ErrNoRun))
}

// printEvents writes a page of the log in one go.
func (e *env) printEvents(page []store.Event) error {
	if len(page) == 0 {
		e.stdout.listened()
		return nil
	}
	var b bytes.Buffer
	for i := range page {
		line, err := json.Marshal(page[i])
		if err != nil {
			return fmt.Errorf("encode event %d: %w", page[i].ID, err)
		}
		b.Write(append(printableJSON(line), '\n'))
	}
	_, err := e.stdout.Write(b.Bytes())
	return err
}
