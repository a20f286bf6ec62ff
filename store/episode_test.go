package store_test

import (
	"strings"
	"testing"

	"github.com/progmon/progmon/internal/storetest"
)

// TestAnEpisodeEndsInALaterEpoch: a takeover ends no episode, so what does may
// carry another epoch, and no monitor need have said so.
func TestAnEpisodeEndsInALaterEpoch(t *testing.T) {
	const (
		begin    = `INSERT INTO run (id, total) VALUES ('r', 3); INSERT INTO step (run_id, pos) VALUES ('r', 1), ('r', 2), ('r', 3);`
		stalled  = `INSERT INTO event (run_id, epoch, kind, source, since) SELECT run_id, epoch, 'signal.stalled', 'monitor', coalesce(advance_event, start_event) FROM cursor;`
		takeover = `UPDATE run SET epoch = epoch + 1;`
		step     = `UPDATE step SET state = 'done', epoch = (SELECT epoch FROM run) WHERE pos = 1;`
		exit     = `INSERT INTO event (run_id, epoch, kind, code) SELECT id, epoch, 'run.exited', 1 FROM run;`
		failed   = `INSERT INTO event (run_id, epoch, kind, source, since) SELECT run_id, epoch, 'signal.failed', 'monitor', coalesce(advance_event, start_event) FROM cursor;`
		answered = `INSERT INTO event (run_id, epoch, kind, source, since) SELECT run_id, epoch, 'signal.recovered', 'monitor', since FROM event WHERE kind = 'signal.stalled' ORDER BY id DESC LIMIT 1;`
		observed = `INSERT INTO event (run_id, epoch, kind, position) SELECT id, epoch, 'cursor', 2 FROM run;`
	)
	for _, c := range []struct {
		claim string
		then  []string
		want  string // the endings of all episodes
	}{
		{"it is open", []string{stalled, takeover}, "1 open"},
		{"the end of a later epoch ends it", []string{stalled, takeover, exit, failed}, "1 failed"},
		{"a recovery that is said of the first epoch", []string{stalled, takeover, step, answered}, "1 recovered"},
		{"an answer to the later stalled answers both", []string{stalled, takeover, stalled, step, answered}, "1 recovered, 2 recovered"},
		{"an advance that nobody spoke of", []string{stalled, takeover, step, exit, failed}, "1 advance"},
		{"an observed advance", []string{stalled, takeover, observed}, "1 advance"},
		{"what came before ends nothing", []string{step, stalled}, "1 open"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			db := ordinary(t, storetest.Open(t).Path())
			if _, err := db.Exec(begin + strings.Join(c.then, "")); err != nil {
				t.Fatal(err)
			}
			var got string
			if err := db.QueryRow(`SELECT group_concat(epoch || ' ' || coalesce(ended_by, 'open'), ', ') FROM (SELECT * FROM v_episode ORDER BY signal_event)`).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("episodes: %s, want %s", got, c.want)
			}
		})
	}
}
