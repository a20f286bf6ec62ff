-- Looked for first, since a row that ON CONFLICT leaves out uses up an id all the same.
-- An accusation falls when the run has advanced since; the others are of the
-- episode that the run is in by now.
INSERT INTO event (run_id, epoch, kind, since, position, total, reason, data, source)
SELECT e.run_id, :epoch, :kind, e.since, e.position, e.total, :reason, :data, 'wrapper'
FROM (SELECT c.run_id, coalesce(c.advance_event, c.start_event) AS since, c.position, c.total
    FROM cursor AS c WHERE c.run_id = :run_id) AS e
WHERE (:since = e.since OR :kind IN ('signal.respawned', 'signal.gave-up', 'signal.wrap-up'))
    AND NOT EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind AND since = e.since)
    AND NOT (:kind = 'signal.wrap-up' AND EXISTS (
        SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = 'signal.wrap-up' AND since IS NOT NULL))
RETURNING id
