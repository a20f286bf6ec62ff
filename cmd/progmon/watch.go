package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// defaultInterval is the time between looks when nobody said another.
const defaultInterval = 5 * time.Second

func watchCommand(e *env) *cli.Command {
	interval, length := durationFlag(0), durationFlag(0)
	return &cli.Command{
		Name:  "watch",
		Usage: "look again and again, and say what changed",
		UsageText: "progmon watch\n" +
			"progmon watch --interval 1s --for 10m --json\n" +
			"progmon watch --once",
		Description: "Looks at the trail, records what changed, and says it: a line a change, JSON lines with --json, a table on a " +
			"terminal. It makes nothing: while there is no trail, it cannot be read, or a look cannot be put on record, every look says so. Several " +
			"monitors may watch one trail; each signal is recorded once. With --once it looks at every run a single " +
			"time, says each run that is not fine, and exits 0 when all is well, 1 when the worst is degraded, 2 when it " +
			"is stalled, stuck, timeout or failed, 3 when something cannot be read or there is no run, and as after a " +
			"failed write (75, 77) when all is well but the look could not be put on record. A run that failed stays " +
			"failed until it is continued, or until a person says with progmon cancel that it was dealt with. With --policy, and " +
			"where its output is no terminal, SIGHUP has it read the policy file again: thresholds, sinks with their secrets, and heartbeat_url " +
			"hold from the next look, and a file with a fault changes nothing.\n\n" +
			"With --respawn a run of progmon run whose wrapper and command have both vanished, with work left, is continued, if " +
			"auto_respawn was in force when it began: by a new wrapper that is none of this watch's and outlives it, under the same " +
			"bounds. Only a run whose directory is this user's and that ended on this machine is; of several monitors one does it.",
		Flags: []cli.Flag{
			newDurationFlag(&interval, "interval", "the `TIME` between looks, at least 100ms (default 5s, or the policy file's)", "PROGMON_INTERVAL"),
			&cli.BoolFlag{Name: "once", Usage: "look once; from cron, give the time between calls as --interval"},
			&cli.BoolFlag{Name: "respawn", Usage: "continue runs whose wrapper has vanished, as their policy says", EnvVars: []string{"PROGMON_RESPAWN"}},
			newDurationFlag(&length, "for", "watch for so `LONG`, then end"),
		},
		Action: func(c *cli.Context) error {
			once := c.Bool("once")
			if once && length > 0 {
				return usagef("", "--for and --once exclude each other")
			}
			t, err := e.thresholds()
			if err != nil {
				return err
			}
			every := time.Duration(interval)
			if every == 0 {
				every = t.monitor().Interval
			}
			if every == 0 {
				every = defaultInterval
			}
			if every < watch.MinInterval {
				return usagef("", "--interval %s is shorter than 100ms", policy.FormatDuration(every))
			}
			if every > longestInterval {
				return usagef("", "--interval %s is longer than 366d", policy.FormatDuration(every))
			}
			path, err := e.db()
			if err != nil {
				return err
			}
			w := &watch.Watch{
				Open:       func(ctx context.Context) (watch.Trail, error, error) { return openWatched(ctx, path, every) },
				Now:        store.Now,
				Thresholds: t.of,
				Interval:   every,
				LateAfter:  t.monitor().Late(every),
				PID:        os.Getpid(),
				Roots:      e.lookRoots(nil),
				Optional:   e.trailIsOptional(),
			}
			if c.Bool("respawn") {
				if w.Respawn, err = e.respawner(path); err != nil {
					return err
				}
			}
			if w.Host, err = os.Hostname(); err != nil {
				w.Host = "unknown"
			}
			w.ID = monitorID(w.Host, once)
			listeners, err := e.listeners(c.Context, t, w, path)
			if err != nil {
				return err
			}
			ctx := c.Context
			if length > 0 {
				var cancel func()
				ctx, cancel = context.WithTimeout(ctx, time.Duration(length))
				defer cancel()
			}
			if once {
				return e.watchOnce(ctx, w, path, listeners)
			}
			say := e.teller(w, path)
			w.Report = say.look
			listeners.attend()
			end := listeners.beside(ctx)
			defer e.rereadOnHangup(ctx, w, t, listeners, say)()
			err = w.Run(ctx)
			end()
			say.end()
			return err
		},
	}
}

// monitorID tells monitors of one trail apart. Those of cron, which live for
// one look each, are one monitor.
func monitorID(host string, once bool) string {
	host = strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r
		}
		return '-'
	}, host)
	host = host[:min(len(host), 100)]
	if once {
		return host + "-once"
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), hex.EncodeToString(b[:]))
}

// openWatched opens the trail for a monitor: it makes and migrates nothing. A
// trail that this user may only read is watched all the same; why says why
// nothing can be recorded then. A look waits for others for a second, or half an
// interval, and no longer than two: the next one comes anyway.
func openWatched(ctx context.Context, path string, interval time.Duration) (trail watch.Trail, why error, err error) {
	patience := store.WithBusyTimeout(min(max(interval/2, time.Second), 2*time.Second))
	s, why := whole(ctx, path, func() (*store.Store, error) {
		return store.Open(ctx, path, store.WithExisting(), store.WithSource("monitor"), patience)
	})
	if why == nil {
		return s, nil, nil
	}
	r, err := store.OpenReader(ctx, path, patience)
	if err != nil {
		return nil, nil, err
	}
	return r, why, nil
}

// watchOnce looks a single time and makes the worst verdict the exit code.
func (e *env) watchOnce(ctx context.Context, w *watch.Watch, path string, listeners *listeners) error {
	var say teller = &lines{e: e, path: path}
	if e.json {
		say = &jsonLines{e: e, w: w, path: path}
	}
	worst, runs, failed := policy.State(""), 0, ""
	var unrecorded error
	w.Report = func(r watch.Report) error {
		for i := range r.Changes {
			v := &r.Changes[i].Verdict
			worst = policy.Worst(worst, v.State)
			if v.State == policy.Failed && !v.Reading.Activity { // which no trail knows
				failed = firstOf(failed, v.Reading.Run)
			}
		}
		unrecorded = r.Unrecorded
		if r.Blind != nil {
			worst = policy.Blind
		}
		runs += len(r.Changes)
		return say.look(r)
	}
	listeners.attend()
	err := w.Once(ctx)
	listeners.after(ctx)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	code := severity(worst)
	if runs == 0 {
		code = exitBlind // nothing is being watched
	}
	switch {
	case code == exitFine && unrecorded != nil:
		// What is not on record is not counted on from: the next look would
		// begin anew, and no silence would ever be long.
		return unwritable(fmt.Errorf("put the look on record: %w", unrecorded))
	case code == exitFine:
		return nil
	case failed != "" && worst == policy.Failed && !e.json:
		_, _ = fmt.Fprintf(e.stderr, "progmon: hint: progmon show %s tells more; progmon cancel %s takes it out of this check once it was dealt with\n", failed, failed)
	}
	return exitStatus(code)
}

// teller says what a monitor sees.
type teller interface {
	look(watch.Report) error
	reread(says string) error // of the policy file
	end()
}

// teller is the one for who reads stdout: a machine, a terminal, or a file.
func (e *env) teller(w *watch.Watch, path string) teller {
	switch {
	case e.json:
		return &jsonLines{e: e, w: w, path: path}
	case e.stdout.isTerminal():
		return &liveTable{e: e, w: w, path: path, recent: lines{e: e, path: path}}
	}
	return &lines{e: e, w: w, path: path}
}
