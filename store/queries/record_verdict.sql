-- The verdict on a run, if neither the run nor what monitors remember of it
-- has moved since the look read them. No row changed is an answer, judge again.
INSERT INTO verdict (run_id, epoch, state, reason, since, at_ms, awake_ms, seen, data)
SELECT c.run_id, :epoch, :state, :reason, :since, :at_ms, :awake_ms, :seen, :data
FROM cursor AS c
LEFT JOIN verdict AS v ON v.run_id = c.run_id
WHERE c.run_id = :run_id AND c.epoch = :epoch AND c.last_event = :last_event
    AND v.seen IS :read_seen AND v.at_ms IS :read_at_ms AND v.awake_ms IS :read_awake_ms
ON CONFLICT (run_id) DO UPDATE SET
    epoch = excluded.epoch, state = excluded.state, reason = excluded.reason, since = excluded.since,
    at_ms = excluded.at_ms, awake_ms = excluded.awake_ms, seen = excluded.seen, data = excluded.data
