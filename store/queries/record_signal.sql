-- One edge of an episode, once. When no row comes back somebody else said it.
-- Looked for first, since a row that ON CONFLICT leaves out uses up an id all
-- the same, and the audit would miss it. What does not rest on silence may be
-- told of a run that has advanced since it was read, for the episode that
-- the run is in by now.
INSERT INTO event (at_ms, run_id, epoch, kind, since, source, reason, data)
SELECT :at_ms, e.run_id, :epoch, :kind, e.since, 'monitor', :reason, :data
FROM (SELECT c.run_id, CASE :kind WHEN 'signal.recovered' THEN :since ELSE coalesce(c.advance_event, c.start_event) END AS since
    FROM cursor AS c WHERE c.run_id = :run_id) AS e
WHERE NOT EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind AND since = e.since)
    AND NOT (:kind IN ('signal.timeout', 'signal.wrap-up')
        AND EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind AND since IS NOT NULL
            AND kind IN ('signal.timeout', 'signal.wrap-up')))
RETURNING id, since
