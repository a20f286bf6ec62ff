package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func reviewCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "review",
		Usage:     "accept or reject what a run produced",
		ArgsUsage: "RUN",
		UsageText: "progmon review crawl-7 --accept --by ada --note checked\n" +
			"progmon review crawl-7 --reject --by ada --note 'half of it is empty' --evidence diff.txt",
		Description: "Appends to the log that somebody looked at what the run produced, and what they think of it. That a " +
			"run is done says that its process ended well and its steps are finished; whether the work is any good is for " +
			"a person to say, and the one never stands for the other. With --evidence the name, size and SHA-256 of a " +
			"file are recorded. A later review stands beside an earlier one.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "accept", Usage: "it is good"},
			&cli.BoolFlag{Name: "reject", Usage: "it is not"},
			&cli.StringFlag{Name: "by", Usage: "the `NAME` of who looked", EnvVars: []string{"PROGMON_REVIEWER"}},
			&cli.StringFlag{Name: "note", Usage: "what was found"},
			&cli.StringFlag{Name: "evidence", Usage: "a `FILE` that shows it"},
		},
		Action: func(c *cli.Context) error {
			run := c.Args().First()
			if err := checkRun(run); err != nil {
				return err
			}
			if c.Bool("accept") == c.Bool("reject") {
				return usagef("", "a review says one of --accept and --reject")
			}
			by, err := required(c, "by")
			if err != nil {
				return err
			}
			note, err := required(c, "note")
			if err != nil {
				return err
			}
			review := store.Aside{Kind: "review.accepted", Who: by, Reason: note}
			if c.Bool("reject") {
				review.Kind = "review.rejected"
			}
			if name := c.String("evidence"); name != "" {
				if review.Data, err = e.exhibit(name); err != nil {
					return err
				}
			}
			return e.review(c.Context, run, review)
		},
	}
}

func (e *env) review(ctx context.Context, run string, review store.Aside) error {
	return e.onTrail(ctx, func(s *store.Store) error {
		ack, err := s.Aside(ctx, run, review)
		if err != nil {
			return err
		}
		return e.acknowledge(ack)
	}, store.WithSource("user"))
}

// exhibit names a file so that it can be told from any other.
func (e *env) exhibit(name string) ([]byte, error) {
	f, err := e.input(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	if name != "-" {
		if name, err = filepath.Abs(name); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		Evidence string `json:"evidence"`
		Bytes    int64  `json:"bytes"`
		SHA256   string `json:"sha256"`
	}{name, size, hex.EncodeToString(sum.Sum(nil))})
}
