package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

func sinksOutbox(e *env) *cli.Command {
	return &cli.Command{
		Name:  "outbox",
		Usage: "list, retry or drop what waits to be delivered",
		UsageText: "progmon sinks outbox list\n" +
			"progmon sinks outbox retry --dead",
		Subcommands: []*cli.Command{outboxList(e), outboxRetry(e), outboxDrop(e)},
	}
}

// deliveryDoc is a row of the outbox for a machine.
type deliveryDoc struct {
	Delivery int64   `json:"delivery"`
	Sink     string  `json:"sink"`
	State    string  `json:"state"`
	Run      string  `json:"run"`
	Signal   string  `json:"signal"`
	Event    int64   `json:"event"`
	Epoch    int64   `json:"epoch"`
	Since    int64   `json:"since"`
	In       int64   `json:"in_delivery,omitempty"`
	Queued   *string `json:"queued_at"`
	Attempts int64   `json:"attempts"`
	Tried    *string `json:"tried_at"`
	Next     *string `json:"next_at"`
	Ended    *string `json:"ended_at"`
	Answer   string  `json:"answer"`
}

func outboxList(e *env) *cli.Command {
	filter := store.OutboxFilter{}
	return &cli.Command{
		Name:  "list",
		Usage: "what still has to reach somebody, or was given up",
		UsageText: "progmon sinks outbox list\n" +
			"progmon sinks outbox list --sink page --all --json",
		Description: "A line for each signal and sink, the oldest first. What goes out in the message of another one is merged (a run " +
			"recovered before anybody had heard that it stalled) or grouped (many signals at once).",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "sink", Usage: "only what is for this `SINK`", Destination: &filter.Sink},
			&cli.BoolFlag{Name: "all", Usage: "what was delivered or dropped too", Destination: &filter.All},
			&cli.IntFlag{Name: "limit", Usage: "at most this `MANY`", Value: 1000, Destination: &filter.Limit},
		},
		Action: func(c *cli.Context) error {
			if filter.Limit < 1 {
				return usagef("", "--limit %d is no limit", filter.Limit)
			}
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			rows, err := r.Outbox(c.Context, filter)
			if closed := r.Close(); err == nil {
				err = closed
			}
			if err != nil {
				return err
			}
			if e.json {
				docs := make([]deliveryDoc, 0, len(rows))
				for _, d := range rows {
					docs = append(docs, deliveryDoc{d.ID, d.Sink, d.State, d.Run, d.Kind, d.Event, d.Epoch, d.Since, d.Into, instant(d.Queued),
						d.Attempts, instant(d.Tried), instant(d.Next), instant(d.Ended), d.Answer})
				}
				return e.printJSON(struct {
					Outbox []deliveryDoc `json:"outbox"`
				}{docs})
			}
			now := e.now()
			for i := range rows {
				e.printf("%s\n", outboxLine(&rows[i], now))
			}
			if len(rows) == 0 {
				e.printf("nothing waits\n")
			}
			return nil
		},
	}
}

// outboxLine is a row of the outbox: 17 page WAITING nightly stalled (event 9),
// 3 attempts, next in 40s: 503 Service Unavailable.
func outboxLine(d *store.DeliveryRow, now time.Time) string {
	text := fmt.Sprintf("%d %s %s %s %s (event %d)", d.ID, printable(d.Sink), d.State, printable(d.Run), printable(d.Kind), d.Event)
	switch {
	case d.Into != 0:
		text += fmt.Sprintf(" in %d", d.Into)
	case d.Attempts > 0:
		text += ", " + count(d.Attempts, "attempt", "attempts")
	}
	if d.Leased && d.State == store.DeliveryWaiting {
		text += ", being sent"
	}
	if d.Next.After(now) {
		text += ", next in " + policy.About(d.Next.Sub(now))
	}
	if d.Answer != "" {
		text += ": " + printable(d.Answer)
	}
	return text
}

func outboxRetry(e *env) *cli.Command {
	return &cli.Command{
		Name:      "retry",
		Usage:     "have deliveries tried again at once",
		ArgsUsage: "[ID...]",
		UsageText: "progmon sinks outbox retry 17\n" +
			"progmon sinks outbox retry --dead",
		Description: "Those named, be they waiting, dead or dropped, or with --dead all that are dead. A progmon watch that serves the sink " +
			"sends them.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "dead", Usage: "all that were given up"}},
		Action: func(c *cli.Context) error { return e.changeOutbox(c, "tried again", (*store.Store).RetryDeliveries) },
	}
}

func outboxDrop(e *env) *cli.Command {
	return &cli.Command{
		Name:      "drop",
		Usage:     "give deliveries up",
		ArgsUsage: "[ID...]",
		UsageText: "progmon sinks outbox drop 17\n" +
			"progmon sinks outbox drop --dead",
		Description: "Those named, be they waiting or dead, or with --dead all that are dead. The signals stay in the log, and retry takes " +
			"it back.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "dead", Usage: "all that were given up"}},
		Action: func(c *cli.Context) error { return e.changeOutbox(c, "dropped", (*store.Store).DropDeliveries) },
	}
}

// changeOutbox does something to the deliveries that the arguments name.
func (e *env) changeOutbox(c *cli.Context, done string, change func(*store.Store, context.Context, []int64) (int64, error)) error {
	var ids []int64
	for _, word := range c.Args().Slice() {
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id < 1 {
			return usagef("", "%s is no number of a delivery: progmon sinks outbox list has them", policy.Said(word))
		}
		ids = append(ids, id)
	}
	if len(ids) == 0 == !c.Bool("dead") {
		return usagef("", "name deliveries by their numbers, or give --dead")
	}
	s, err := e.openTrail(c.Context, store.WithSource("user"))
	if err != nil {
		return err
	}
	if c.Bool("dead") {
		rows, err := s.Outbox(c.Context, store.OutboxFilter{Limit: 1 << 30})
		if err != nil {
			return errors.Join(err, s.Close())
		}
		for _, d := range rows {
			if d.State == store.DeliveryDead {
				ids = append(ids, d.ID)
			}
		}
	}
	n, err := change(s, c.Context, ids)
	if closed := s.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	e.recorded = count(n, "delivery", "deliveries") + " " + done
	if e.json {
		return e.printJSON(struct {
			Changed int64 `json:"changed"`
		}{n})
	}
	e.printf("%s\n", e.recorded)
	return nil
}
