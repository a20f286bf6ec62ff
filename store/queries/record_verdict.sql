-- The verdict on a run, if what it rests on still stands and no other monitor
-- has said something of the run since the look read it. Rows that are no
-- advance do not matter, or a busy run would never be told. No row changed is
-- an answer, judge again.
INSERT INTO verdict (run_id, epoch, state, reason, since, at_ms, awake_ms, seen, data)
SELECT c.run_id, :epoch, :state, :reason, :since, :at_ms, :awake_ms, :seen, :data
FROM cursor AS c
LEFT JOIN verdict AS v ON v.run_id = c.run_id
WHERE c.run_id = :run_id AND c.epoch = :epoch
    AND (:still = 0 OR c.advance_event IS :advance_event)
    AND c.exit_event IS :exit_event AND (c.cancel_event IS NOT NULL) = :cancelled
    AND v.seen IS :read_seen AND v.at_ms IS :read_at_ms AND v.awake_ms IS :read_awake_ms
ON CONFLICT (run_id) DO UPDATE SET
    epoch = excluded.epoch, state = excluded.state, reason = excluded.reason, since = excluded.since,
    at_ms = excluded.at_ms, awake_ms = excluded.awake_ms, seen = excluded.seen, data = excluded.data
