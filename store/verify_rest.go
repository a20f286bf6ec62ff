package store

import "fmt"

// rest checks the tables that the log does not give: they must at least be
// possible beside it. Their rows are what monitors and the database remember.
func (k *verifier) rest() error {
	for _, each := range []struct{ rule, detail, query string }{
		{RuleStep, "its budget was declared by no row of its own", `SELECT s.run_id, s.pos, 0 FROM step AS s
			WHERE (s.expect_event IS NOT NULL OR s.expect_at_ms IS NOT NULL) AND NOT (s.state = 'running' AND s.expect_ms IS NOT NULL
				AND EXISTS (SELECT 1 FROM event AS e WHERE e.id = s.expect_event AND e.run_id = s.run_id AND e.step = s.pos
					AND e.kind = 'step.begun' AND e.for_ms IS NOT NULL AND e.at_ms = s.expect_at_ms))`},
		{RuleStep, "it has ended and still has a budget", `SELECT run_id, pos, last_event FROM step WHERE finished_ms IS NOT NULL AND expect_ms IS NOT NULL`},
		{RuleStep, "it is of another epoch than the row that ended it", `SELECT s.run_id, s.pos, s.last_event FROM step AS s JOIN event AS e ON e.id = s.last_event
			WHERE s.finished_ms IS NOT NULL AND s.epoch <> e.epoch`},
		{RuleStep, "it names an epoch that its run has not come to", `SELECT s.run_id, s.pos, 0 FROM step AS s JOIN run AS r ON r.id = s.run_id
			WHERE s.epoch NOT BETWEEN 1 AND r.epoch`},
		{RuleStep, "the note of table meeting names a step that is not there", `SELECT run_id, pos, 0 FROM meeting AS m
			WHERE pos <> 0 AND NOT EXISTS (SELECT 1 FROM step AS s WHERE s.run_id = m.run_id AND s.pos = m.pos)`},
		{RuleClock, "a landmark of an event that is not of its run", `SELECT run_id, 0, event_id FROM landmark AS m
			WHERE NOT EXISTS (SELECT 1 FROM event AS e WHERE e.id = m.event_id AND e.run_id = m.run_id)`},
		{RuleClock, "a landmark lies ahead of the awake clock", `SELECT run_id, 0, event_id FROM landmark
			WHERE awake_ms > coalesce((SELECT max(look_awake_ms) FROM clock), 0)`},
		{RuleClock, "a row of the clock has seen events that are not there", `SELECT NULL, 0, 0 FROM clock
			WHERE max(first_event, coalesce(look_event, 0)) > coalesce((SELECT max(id) FROM event), 0)`},
		{RuleClock, "a row of the clock was awake for longer than its boots lasted", `SELECT NULL, 0, 0 FROM clock AS c
			WHERE look_awake_ms > coalesce(look_mono_ms, 0) + coalesce((SELECT max(o.look_awake_ms) FROM clock AS o
				WHERE o.boot_id <> c.boot_id AND o.look_awake_ms <= c.look_awake_ms), 0)`},
		{RuleClock, "a reading of a monotonic clock is of more than a hundred years", `SELECT NULL, 0, 0 FROM clock
			WHERE max(first_mono_ms, coalesce(look_mono_ms, 0)) > 3155760000000`},
		{RuleCursor, "todo lies beyond the steps there are", `SELECT c.run_id, 0, 0 FROM cursor AS c
			WHERE todo > 1 + max(coalesce(c.total, 0), coalesce((SELECT max(pos) FROM step AS s WHERE s.run_id = c.run_id), 0))`},
		{RuleRun, "recorded thresholds have bytes behind their end", `SELECT r.id, 0, 0 FROM policy AS p JOIN run AS r ON r.policy = p.id
			WHERE instr(CAST(p.body AS BLOB), x'00') > 0`},
		{RuleSeal, "a seal covers rows that are not there", `SELECT NULL, 0, last_event FROM seal
			WHERE last_event > coalesce((SELECT max(id) FROM event), 0)`},
		{RuleSeal, "seals are not numbered from 1", `SELECT NULL, 0, last_event
			FROM (SELECT id, last_event, row_number() OVER (ORDER BY id) AS n FROM seal) WHERE id <> n`},
		{RuleMonitor, "it looks less often than once in a year", `SELECT NULL, 0, 0 FROM monitor WHERE interval_ms > 31622400000`},
		{RuleVerdict, "it is of an epoch that its run has not come to", `SELECT v.run_id, 0, 0 FROM verdict AS v JOIN run AS r ON r.id = v.run_id
			WHERE v.epoch NOT BETWEEN 1 AND r.epoch`},
		{RuleVerdict, "its episode begins with no event of its run", `SELECT run_id, 0, since FROM verdict AS v
			WHERE NOT EXISTS (SELECT 1 FROM event AS e WHERE e.id = v.since AND e.run_id = v.run_id)`},
		{RuleOutbox, "a delivery of an event that is no signal of its run", `SELECT d.run_id, 0, d.event_id FROM delivery AS d
			WHERE NOT EXISTS (SELECT 1 FROM event AS e WHERE e.id = d.event_id AND e.run_id = d.run_id AND e.kind >= 'signal.' AND e.kind < 'signal/')`},
		{RuleOutbox, "a delivery goes out in another message, which is not there", `SELECT d.run_id, 0, d.event_id FROM delivery AS d
			WHERE d.into_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM delivery AS h WHERE h.id = d.into_id AND h.sink = d.sink AND h.into_id IS NULL)`},
		{RuleMonitor, "it has seen events that are not there", `SELECT NULL, 0, 0 FROM monitor
			WHERE last_event > coalesce((SELECT max(id) FROM event), 0)`},
	} {
		err := k.scan(each.query, func(row []value) error {
			f := Finding{Rule: each.rule, Step: whole(row[1]), FirstEvent: whole(row[2]), LastEvent: whole(row[2]), Detail: each.detail}
			f.Run, _ = row[0].(string)
			k.v.add(f)
			return nil
		})
		if blind, ok := asBlind(err); ok && blind.Reason == BlindNotATrail {
			continue // a table is not as it was: schema says so
		}
		if err != nil {
			return fmt.Errorf("%s: %w", each.detail, err)
		}
	}
	return nil
}
