package store

import (
	"context"
	"fmt"
)

// maxNamed is how many runs RunsNamed gives at most.
const maxNamed = 200

// RunsNamed gives the runs whose ids begin with prefix, at most 200, in the
// order of their ids: those that go on, or, where none does, those that ended.
// It is what a shell offers at TAB.
func (r *Reader) RunsNamed(ctx context.Context, prefix string) (runs []string, err error) {
	err = r.view(ctx, func(c *conn) (err error) {
		for _, statement := range [...]string{"live_named", "runs_named"} {
			runs, err = c.names(statement, nil, arg{"prefix", prefix}, arg{"limit", int64(maxNamed)})
			if err != nil || len(runs) > 0 {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the runs named %q: %w", prefix, err)
	}
	return runs, nil
}
