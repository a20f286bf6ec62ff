package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// refusals are what the rules of the trail forbid, whoever asks: the statement,
// and a part of the sentence that it is refused with. The trail is the one that
// lay makes.
var refusals = []struct{ sql, want string }{
	// The log.
	{`UPDATE event SET kind = 'note' WHERE id = 2`, "the log is append-only: an event is never changed"},
	{`DELETE FROM event WHERE id = 2`, "the log is append-only: an event is never deleted"},
	{`DELETE FROM event`, "the log is append-only"},
	{`REPLACE INTO event (id, run_id, epoch, kind) VALUES (2, 'r', 2, 'note')`, "event ids are given by the database and never come back"},
	{`INSERT OR REPLACE INTO event (id, run_id, epoch, kind) VALUES ((SELECT max(id) FROM event), 's', 1, 'note')`, "event ids are given by the database and never come back"},
	{`INSERT INTO event (id, run_id, epoch, kind) VALUES (1, 'r', 2, 'note')`, "event ids are given by the database and never come back"},
	{`INSERT INTO event (id, run_id, epoch, kind) VALUES (9223372036854775807, 'r', 2, 'note')`, "event ids are given by the database and never come back"},
	{`INSERT INTO event (id, run_id, epoch, kind) VALUES (0, 'r', 2, 'note')`, "event ids"},
	{`INSERT INTO event (run_id, epoch, kind) VALUES ('r', 2, 'heartbeat')`, "an event is of a known kind"},
	{`INSERT INTO event (run_id, epoch, kind) VALUES ('nobody', 1, 'note')`, "no such run"},
	{`INSERT INTO event (run_id, epoch, kind, source) VALUES ('r', 2, 'note', 'me')`, "a_source_is_worker_wrapper_user_or_monitor"},
	{`INSERT INTO event (run_id, epoch, kind, data) VALUES ('r', 2, 'note', '{')`, "event_data_is_json_of_at_most_65536_bytes"},
	{`INSERT INTO event (run_id, kind) VALUES ('r', 'note')`, "an_event_of_a_run_names_its_epoch"},
	// A step event by hand.
	{`INSERT INTO event (run_id, epoch, kind, step) VALUES ('r', 2, 'step.done', 3)`, "a step event matches its step row: the state differs"},
	{`INSERT INTO event (run_id, epoch, kind, step) VALUES ('r', 2, 'step.done', 99)`, "a step event matches its step row: there is no such step"},
	{`INSERT INTO event (run_id, epoch, kind, step, advance) VALUES ('r', 2, 'step.done', 1, 1)`, "whether a row is an advance is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, step, for_ms) VALUES ('r', 2, 'step.done', 1, -1000)`, "what a budget has used is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, step, amount, out_of) VALUES ('r', 2, 'step.marked', 2, 5, 10)`, "a step event matches its step row: the mark differs"},
	{`INSERT INTO event (run_id, epoch, kind, advance) VALUES ('r', 2, 'note', 1)`, "whether a row is an advance is said by the database"},
	{`INSERT INTO run (id, epoch) VALUES ('late', 7)`, "a run begins in epoch 1"},
	// Steps.
	{`UPDATE step SET state = 'running' WHERE run_id = 's' AND pos = 1`, "a terminal step never changes again"},
	{`UPDATE step SET state = 'done' WHERE run_id = 's' AND pos = 1`, "a terminal step never changes again"},
	{`UPDATE step SET note = 'x' WHERE run_id = 's' AND pos = 1`, "a terminal step never changes again"},
	{`INSERT INTO step (run_id, pos, state, epoch) VALUES ('s', 1, 'running', 1) ON CONFLICT (run_id, pos) DO UPDATE SET state = 'running'`, "a terminal step never changes again"},
	{`INSERT INTO step (run_id, pos, state, epoch) VALUES ('r', 6, 'done', 2)`, "a step beyond a closed total is refused"},
	{`INSERT INTO step (run_id, pos, state) VALUES ('s', 0, 'done')`, "steps_count_from_1"},
	{`INSERT INTO step (run_id, pos, state) VALUES ('nobody', 1, 'done')`, "no such run"},
	{`REPLACE INTO step (run_id, pos, epoch) VALUES ('r', 3, 2)`, "a step row is never replaced: UPDATE it"},
	{`REPLACE INTO step (run_id, pos, epoch) VALUES ('r', 2, 2)`, "a step row is never replaced: UPDATE it"},
	{`DELETE FROM step WHERE run_id = 'r' AND pos = 3`, "a step is never deleted: skip it or cancel it"},
	{`UPDATE step SET state = 'done', epoch = 1 WHERE run_id = 'r' AND pos = 3`, "fenced: another epoch holds this run"},
	{`UPDATE step SET mark_amount = 1, mark_of = 9, epoch = 1 WHERE run_id = 'r' AND pos = 3`, "fenced: another epoch holds this run"},
	{`UPDATE step SET state = 'done', epoch = 3 WHERE run_id = 'r' AND pos = 3`, "fenced: another epoch holds this run"},
	{`UPDATE step SET state = 'started', epoch = 2 WHERE run_id = 'r' AND pos = 3`, "a_step_is_pending_running_done_failed_skipped_or_cancelled"},
	{`UPDATE step SET state = 'pending', epoch = 2 WHERE run_id = 'r' AND pos = 2`, "a step never goes back to pending"},
	{`UPDATE step SET pos = 4, epoch = 2 WHERE run_id = 'r' AND pos = 3`, "a step keeps its run and its number"},
	{`UPDATE step SET name = 'z', epoch = 2 WHERE run_id = 'r' AND pos = 3`, "a step keeps its name"},
	{`UPDATE step SET attempts = 0, epoch = 2 WHERE run_id = 'r' AND pos = 2`, "are written by the database"},
	{`UPDATE step SET finished_ms = 1, epoch = 2 WHERE run_id = 'r' AND pos = 3`, ""},
	{`UPDATE step SET mark_amount = 5, mark_of = 11, epoch = 2 WHERE run_id = 'r' AND pos = 2`, "the first mark of a step fixes what it counts to"},
	{`UPDATE step SET mark_amount = 11, mark_of = 10, epoch = 2 WHERE run_id = 'r' AND pos = 2`, "a_mark_is_between_0_and_its_of"},
	{`UPDATE step SET expect_ms = -1, state = 'running', epoch = 2 WHERE run_id = 'r' AND pos = 3`, "a_step_budget_is_positive"},
	{`INSERT INTO step (run_id, pos, name, epoch) VALUES ('s', 9, 'only', 1), ('s', 10, 'only', 1)`, "a step name is used once in a run"},
	{`REPLACE INTO step (run_id, pos, name, epoch) VALUES ('s', 9, 'only', 1), ('s', 10, 'only', 1)`, "a step name is used once in a run"},
	// Runs.
	{`INSERT INTO run (id) VALUES ('r')`, "a run id is used once"},
	{`REPLACE INTO run (id) VALUES ('r')`, "a run id is used once"},
	{`DELETE FROM run WHERE id = 'r'`, "a run is never deleted"},
	{`UPDATE run SET epoch = 9 WHERE id = 'r'`, "a takeover raises the epoch by exactly one"},
	{`UPDATE run SET epoch = epoch - 1 WHERE id = 'r'`, "a takeover raises the epoch by exactly one"},
	{`UPDATE run SET total = 3, epoch = epoch + 1 WHERE id = 'r'`, "a run keeps what it was declared with"},
	{`UPDATE run SET epoch = epoch + 1 WHERE id = 'x'`, "a cancelled run is not continued"},
	{`INSERT INTO event (run_id, epoch, kind) VALUES ('r', 3, 'run.takeover')`, "a takeover is an UPDATE of run.epoch"},
	{`INSERT INTO event (run_id, epoch, kind) VALUES ('r', 2, 'run.started')`, "a run starts once"},
	{`INSERT INTO event (run_id, epoch, kind, total, open) VALUES ('r', 2, 'run.total', 0, 0)`, "a total never falls below the position"},
	{`INSERT INTO event (run_id, epoch, kind, total) VALUES ('r', 2, 'run.total', 9)`, "a changed total says whether it is open"},
	{`INSERT INTO event (run_id, epoch, kind, for_ms) VALUES ('r', 2, 'hold', 0)`, "a hold has a limit: for_ms"},
	{`INSERT INTO event (run_id, epoch, kind, for_ms) VALUES ('r', 2, 'hold', 9223372036854775807)`, "a_length_is_at_most_100_years"},
	{`UPDATE step SET expect_ms = 9223372036854775807, state = 'running', epoch = 2 WHERE run_id = 'r' AND pos = 3`, "at_most_100_years"},
	{`INSERT INTO event (run_id, epoch, kind, for_ms) VALUES ('r', 1, 'hold', 1000)`, "fenced: another epoch holds this run"},
	{`INSERT INTO event (run_id, epoch, kind, code) VALUES ('r', 1, 'run.exited', 0)`, "fenced: another epoch holds this run"},
	{`INSERT INTO event (run_id, epoch, kind) VALUES ('r', 2, 'run.exited')`, "an exit names a code, a signal, or the reason"},
	{`INSERT INTO event (run_id, epoch, kind, code) VALUES ('r', 2, 'run.exited', 256)`, "an_exit_code_is_0_to_255"},
	{`UPDATE step SET state = 'done' WHERE run_id = 'x' AND pos = 1`, "a cancelled run takes no more steps"},
	{`INSERT INTO event (run_id, epoch, kind, for_ms) VALUES ('x', 1, 'hold', 1000)`, "a cancelled run takes no more steps"},
	// Monitors and signals.
	{`INSERT INTO event (run_id, epoch, kind, source, step) VALUES ('r', 2, 'step.done', 'monitor', 1)`, "a monitor never writes a step"},
	{`INSERT INTO event (run_id, epoch, kind, source, position) VALUES ('r', 2, 'cursor', 'monitor', 9)`, "a monitor never moves a cursor"},
	{`INSERT INTO event (run_id, epoch, kind, source) VALUES ('r', 2, 'resume', 'monitor')`, "a monitor never moves a cursor"},
	{`INSERT INTO event (run_id, epoch, kind, since) VALUES ('r', 2, 'signal.stalled', 1)`, "a worker never signals"},
	{`INSERT INTO event (run_id, epoch, kind, source) VALUES ('r', 2, 'signal.stalled', 'monitor')`, "a signal, and nothing else, names its run"},
	{`INSERT INTO event (run_id, epoch, kind, source, since) VALUES ('r', 2, 'signal.stalled', 'monitor', 5)`, "a signal is said once an episode"},
	{`REPLACE INTO event (run_id, epoch, kind, source, since) VALUES ('r', 2, 'signal.stalled', 'monitor', 5)`, "a signal is said once an episode"},
	{`INSERT INTO event (run_id, epoch, kind, since) VALUES ('r', 2, 'note', 3)`, "a signal, and nothing else"},
	// A signal that came too early would silence the true one. s stands at its
	// first step, and has neither a process nor a total; x was cancelled.
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.escalated', 5, 'user')`, "only a monitor and a wrapper signal"},
	{`INSERT INTO event (run_id, epoch, kind, since) VALUES ('s', 1, 'pinged', 7)`, "a worker never signals"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.stalled', advance_event + 1, 'monitor' FROM cursor WHERE run_id = 's'`, "a signal names the event of the last advance"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.stalled', start_event, 'monitor' FROM cursor WHERE run_id = 's'`, "a signal names the event of the last advance"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.timeout', 9223372036854775807, 'monitor')`, "a signal names the event of the last advance"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 1, 'signal.stalled', 5, 'monitor')`, "a signal names the epoch that holds its run"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 3, 'signal.wrap-up', 5, 'monitor')`, "a signal names the epoch that holds its run"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 1, 'signal.stalled', 5, 'wrapper')`, "fenced"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.recovered', 5, 'monitor')`, "recovered answers a stalled"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.recovered', start_event, 'monitor' FROM cursor WHERE run_id = 's'`, "recovered answers a stalled"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.escalated', advance_event, 'monitor' FROM cursor WHERE run_id = 's'`, "escalated follows a stalled"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 'x', 1, 'signal.stalled', start_event, 'monitor' FROM cursor WHERE run_id = 'x'`, "of a run that is over its end is told"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 'x', 1, 'pinged', start_event, 'monitor' FROM cursor WHERE run_id = 'x'`, "of a run that is over its end is told"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.done', 5, 'monitor')`, "a run is done at its full position"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.done', advance_event, 'monitor' FROM cursor WHERE run_id = 's'`, "a run without a process ends by a row of its own"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.failed', 5, 'monitor')`, "a run without a process ends by a row of its own"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.cancelled', 5, 'monitor')`, "a run without a process ends by a row of its own"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) SELECT 's', 1, 'signal.respawned', advance_event, 'wrapper' FROM cursor WHERE run_id = 's'`, "respawned follows a takeover"},
	{`INSERT INTO event (run_id, epoch, kind, since, source) VALUES ('r', 2, 'signal.gave-up', 5, 'wrapper')`, "gave-up follows an exit, or a failed"},
	// Where the run stood, by a row that does not know.
	{`INSERT INTO event (run_id, epoch, kind, step, position) VALUES ('r', 2, 'step.done', 1, 5)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, step, total) VALUES ('r', 2, 'step.done', 1, 50)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, step, amount, out_of, position) VALUES ('r', 2, 'step.marked', 2, 4, 10, 5)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, position) VALUES ('r', 2, 'note', 5)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, total) VALUES ('s', 1, 'refused', 5)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, total, open, position) VALUES ('r', 2, 'run.total', 9, 0, 4)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, since, source, position) VALUES ('r', 2, 'signal.timeout', 5, 'monitor', 5)`, "where a run stands is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, source, advance) VALUES ('r', 2, 'note', 'monitor', 1)`, "whether a row is an advance is said by the database"},
	{`INSERT INTO event (run_id, epoch, kind, advance) VALUES ('r', 2, 'refused', 1)`, "whether a row is an advance is said by the database"},
	// A stamp that the log would justify does not carry a write past its fence.
	{`UPDATE step SET state = 'done', epoch = 1, last_event = (SELECT last_event FROM cursor WHERE run_id = 'r') WHERE run_id = 'r' AND pos = 3`, "fenced"},
	{`UPDATE step SET expect_ms = 9, epoch = 1 WHERE run_id = 'r' AND pos = 3`, "fenced"},
	{`UPDATE OR REPLACE step SET pos = 4 WHERE run_id = 'r' AND pos = 3`, "a step keeps its run and its number"},
	{`UPDATE OR IGNORE step SET state = 'running' WHERE run_id = 's' AND pos = 1`, "a terminal step never changes again"},
	{`UPDATE OR REPLACE cursor SET position = 99 WHERE run_id = 'r'`, "a cursor is kept by the database"},
	// Cursors and what is said once.
	{`UPDATE cursor SET position = position + 1 WHERE run_id = 'r'`, "a cursor is kept by the database: flip a step instead"},
	{`UPDATE cursor SET position = position - 1 WHERE run_id = 'r'`, "position_never_falls"},
	{`UPDATE cursor SET advance_ms = 9 WHERE run_id = 'r'`, "a cursor is kept by the database"},
	{`UPDATE cursor SET live = 0 WHERE run_id = 'r'`, "a cursor is kept by the database"},
	{`UPDATE cursor SET last_event = last_event + 1, rows_since = 0 WHERE run_id = 'r'`, "a cursor is kept by the database"},
	{`DELETE FROM cursor WHERE run_id = 'r'`, "a cursor is never deleted"},
	{`INSERT INTO cursor (run_id) VALUES ('r')`, "a cursor begins with its run"},
	{`REPLACE INTO cursor (run_id) VALUES ('r')`, "a cursor begins with its run"},
	{`UPDATE trail SET instance = 'x'`, "a trail keeps its instance"},
	{`REPLACE INTO trail (id, instance, created_ms) VALUES (1, '00000000000000000000000000000000', 1)`, "a trail keeps its instance"},
	{`UPDATE seal SET hash = 'x'`, "a seal is never changed"},
	{`DELETE FROM seal`, "a seal is never deleted"},
	{`REPLACE INTO seal (id, first_event, last_event, rows, hash, at_ms, source) SELECT id, first_event, last_event, rows, hash, at_ms, 'me' FROM seal`, "a seal begins where the last one ended"},
	{`REPLACE INTO seal (id, first_event, last_event, rows, hash, at_ms, source) SELECT 9223372036854775807, last_event + 1, last_event + 1, 1, hash, 1, 'me' FROM seal`, "a seal begins where the last one ended"},
	{`INSERT INTO seal (first_event, last_event, rows, hash, at_ms, source) SELECT last_event + 1, 9223372036854775807, 1, hash, 1, 'me' FROM seal`, "a seal covers rows of the log that are there"},
	{`UPDATE policy SET body = '{}'`, "a recorded policy is never changed"},
	{`REPLACE INTO policy (body) SELECT body FROM policy`, "each text is recorded once"},
	{`REPLACE INTO policy (id, body) SELECT id, body FROM policy`, "each text is recorded once"},
	{`REPLACE INTO policy (id, body) SELECT id, '{}' FROM policy`, "each text is recorded once"},
	{`INSERT INTO policy (id, body) VALUES (-1, '{}')`, "policy_ids_count_from_1"},
	// The note of a step that an insert meets.
	{`UPDATE meeting SET run_id = 's', pos = 7`, "meeting is kept by the database"},
	{`UPDATE meeting SET run_id = '', pos = 3`, "meeting is kept by the database"},
	{`DELETE FROM meeting`, "meeting is kept by the database"},
	{`REPLACE INTO meeting (id, run_id, pos) VALUES (1, '', 0)`, "meeting is kept by the database"},
}

// badIDs are no run ids, as SQL.
var badIDs = []string{`''`, `'..'`, `'.'`, `'../x'`, `'a/b'`, `'/etc'`, `'-rf'`, `'A'`, `'a' || char(9)`, `'a' || char(10)`, `'a' || char(0) || 'b'`,
	`'ä'`, `'a b'`, `'` + strings.Repeat("a", 65) + `'`}

// lay makes the trail that refusals are tried on.
func lay(t testing.TB) *store.Store {
	t.Helper()
	ctx := context.Background()
	s := storetest.Open(t)
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Start(ctx, store.Declared{Run: "r", Steps: []string{"a", "b", "c", "d", "e"}, Policy: []byte(`{"a":1}`)})
	must(r, err)
	must(r.Complete(ctx, store.Pos(1)))
	r, err = s.Takeover(ctx, "r", 1)
	must(r, err)
	must(r.Mark(ctx, store.Pos(2), 4, 10))
	open, err := s.Start(ctx, store.Declared{Run: "s", Total: cursor.Total{Open: true}})
	must(open, err)
	must(open.Complete(ctx, store.Pos(1)))
	must(s.Start(ctx, store.Declared{Run: "x", Total: cursor.Total{N: 2, Known: true}}))
	must(s.Cancel(ctx, "x", "ann", ""))
	if _, err := hostile(t, s.Path()).Exec(`INSERT INTO event (run_id, epoch, kind, source, since) VALUES ('r', 2, 'signal.stalled', 'monitor', 5)`); err != nil {
		t.Fatal(err)
	}
	if err := s.Seal(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

// stranger is a client that is not ours. It says how each of some statements
// was answered: "taken", or the error.
type stranger struct {
	name string
	ask  func(t *testing.T, path string, statements []string) []string
}

// strangers have recursive triggers and foreign keys off, as they come.
var strangers = []stranger{
	{"driver", func(t *testing.T, path string, statements []string) (said []string) {
		db := ordinary(t, path)
		for _, sql := range statements {
			answer := "taken"
			if _, err := db.Exec(sql); err != nil {
				answer = err.Error()
			}
			said = append(said, answer)
		}
		return said
	}},
	{"python", func(t *testing.T, path string, statements []string) (said []string) {
		const program = `import json, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
said = []
for sql in json.load(sys.stdin):
    try:
        c.execute(sql)
        said.append("taken")
    except sqlite3.Error as e:
        said.append(str(e))
json.dump(said, sys.stdout)
`
		in, err := json.Marshal(statements)
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command("python3", "-c", program, path)
		c.Stdin, c.Stderr = bytes.NewReader(in), os.Stderr
		out, err := c.Output()
		if err == nil {
			err = json.Unmarshal(out, &said)
		}
		if err != nil {
			t.Fatalf("python3: %v: %s", err, out)
		}
		return said
	}},
	{"sqlite3", func(t *testing.T, path string, statements []string) (said []string) {
		for _, sql := range statements {
			out, err := exec.Command("sqlite3", "-bail", path, sql).CombinedOutput()
			if err == nil {
				out = []byte("taken")
			}
			said = append(said, strings.TrimSpace(string(out)))
		}
		return said
	}},
}

// TestRefused: the rules hold whoever writes, say which one was broken, and
// leave the log as it was.
func TestRefused(t *testing.T) {
	all := refusals
	for _, id := range badIDs {
		all = append(all, struct{ sql, want string }{`INSERT INTO run (id) VALUES (` + id + `)`, "a_run_id_is_1_to_64"})
	}
	var statements []string
	for _, r := range all {
		statements = append(statements, r.sql)
	}
	for _, who := range strangers {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			s := lay(t)
			before := logOf(t, s)
			for i, got := range who.ask(t, s.Path(), statements) {
				if !strings.Contains(got, all[i].want) || got == "taken" {
					t.Errorf("%s\n = %s\nwant %s", all[i].sql, got, all[i].want)
				}
			}
			if after := logOf(t, s); after != before {
				t.Errorf("the log changed from\n%s\nto\n%s", before, after)
			}
		})
	}
}

// accepted is what the documents tell a stranger to write.
var accepted = []string{
	`UPDATE step SET state = 'done', epoch = 2 WHERE run_id = 'r' AND pos = 2`,
	`UPDATE step SET state = 'running', epoch = 2, expect_ms = 60000 WHERE run_id = 'r' AND name = 'c'`,
	`INSERT INTO step (run_id, pos, state, epoch) VALUES ('r', 3, 'done', 2) ON CONFLICT (run_id, pos) DO UPDATE SET state = excluded.state, epoch = excluded.epoch`,
	`INSERT INTO event (run_id, epoch, kind, step) VALUES ('r', 2, 'step.done', 3)`,
	`INSERT INTO step (run_id, pos, state) VALUES ('s', 2, 'done'), ('s', 3, 'running')`,
	`INSERT INTO event (run_id, epoch, kind, for_ms, reason) VALUES ('s', 1, 'hold', 60000, 'rate limit')`,
	`INSERT INTO event (run_id, epoch, kind, position, total) VALUES ('s', 1, 'cursor', 40, 100)`,
	`UPDATE run SET epoch = epoch + 1 WHERE id = 's' AND epoch = 1`,
	`INSERT INTO event (run_id, epoch, kind, code) VALUES ('s', 2, 'run.exited', 0)`,
	`INSERT INTO run (id, family, total) VALUES ('new', 'nightly', 3)`,
}

// TestAccepted: it is taken, and the trail is clean after it.
func TestAccepted(t *testing.T) {
	for _, who := range strangers {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			s := lay(t)
			for i, got := range who.ask(t, s.Path(), accepted) {
				if got != "taken" {
					t.Errorf("%s\n = %s", accepted[i], got)
				}
			}
		})
	}
}
