package store

import (
	"context"
	"fmt"
	"time"
)

// Settings is how a trail is set up.
type Settings struct {
	Schema  int64
	Journal string    // journal_mode; wal, unless somebody changed it
	Newest  int64     // the newest event
	Latest  time.Time // its stamp; zero when there is none
}

// Settings reads how the trail is set up.
func (r *Reader) Settings(ctx context.Context) (s Settings, err error) {
	var schema, newest, at num
	var journal text
	err = r.view(ctx, func(c *conn) error {
		for _, each := range []struct {
			query string
			into  cell
		}{
			{"PRAGMA user_version", &schema},
			{"PRAGMA journal_mode", &journal},
			{"SELECT max(id) FROM event", &newest},
			{"SELECT at_ms FROM event ORDER BY id DESC LIMIT 1", &at},
		} {
			v, err := c.ask(each.query)
			if err != nil {
				return err
			}
			each.into.take(v)
		}
		return nil
	})
	if err != nil {
		return Settings{}, fmt.Errorf("read how the trail is set up: %w", err)
	}
	return Settings{schema.n, journal.s, newest.n, at.stamp()}, nil
}
