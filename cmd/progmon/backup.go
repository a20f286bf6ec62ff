package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/store"
)

func dbBackup(e *env) *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Usage:     "copy the trail while others write to it",
		ArgsUsage: "OUT",
		UsageText: "progmon db backup monday.db --verify",
		Description: "Copies the trail, as it is at one instant, into the new file OUT, and lays its SHA-256 beside it in " +
			"OUT.sha256, as sha256sum -c reads it. Nothing is written over, and a copy that has its name is whole. With " +
			"--verify the copy is opened and all of it worked out again, as by db verify OUT.",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "verify", Usage: "verify the copy: its digest, its log and its seals"}},
		Action: func(c *cli.Context) error {
			r, err := e.readTrail(c.Context)
			if err != nil {
				return err
			}
			made, err := r.Backup(c.Context, c.Args().First())
			if closed := r.Close(); err == nil {
				err = closed
			}
			if err != nil {
				return unwritable(err)
			}
			e.recorded = fmt.Sprintf("the copy %q", made.Path)
			if e.json {
				if err := e.printJSON(made); err != nil {
					return err
				}
			} else {
				e.printf("%s: %s bytes, sha256 %s\n", printable(made.Path), grouped(made.Bytes), made.SHA256)
			}
			if c.Bool("verify") {
				return e.verifyCopy(c.Context, made.Path)
			}
			return nil
		},
	}
}

// verifyCopy checks the digest that lies beside a copy, then the copy. A
// database that a digest is wrong of may be read all the same, and says more.
func (e *env) verifyCopy(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	// Before it is opened: to close a file drops the locks of this process on it.
	same, checked, err := store.CheckDigest(abs)
	if err != nil {
		return err
	}
	r, err := store.OpenReader(ctx, abs)
	if err != nil {
		return err
	}
	v, err := verified(ctx, r)
	if err != nil {
		return err
	}
	if checked && !same {
		v.AddDigest(abs)
	}
	return e.printVerification(v)
}
