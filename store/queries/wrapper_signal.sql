-- Looked for first, since a row that ON CONFLICT leaves out uses up an id all the same.
INSERT INTO event (run_id, epoch, kind, since, position, total, reason, data, source)
SELECT c.run_id, :epoch, :kind, :since, c.position, c.total, :reason, :data, 'wrapper' FROM cursor AS c
WHERE c.run_id = :run_id
    AND NOT EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind AND since = :since)
    AND NOT (:kind = 'signal.wrap-up' AND EXISTS (
        SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = 'signal.wrap-up'))
