-- One edge of an episode, once. When no row comes back somebody else said it.
-- Looked for first, since a row that ON CONFLICT leaves out uses up an id all
-- the same, and the audit would miss it.
INSERT INTO event (at_ms, run_id, epoch, kind, since, source, reason, data)
SELECT :at_ms, :run_id, :epoch, :kind, :since, 'monitor', :reason, :data
WHERE NOT EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind AND since = :since)
    AND NOT (:kind IN ('signal.done', 'signal.failed', 'signal.cancelled', 'signal.timeout', 'signal.wrap-up')
        AND EXISTS (SELECT 1 FROM event WHERE run_id = :run_id AND epoch = :epoch AND kind = :kind
            AND kind IN ('signal.done', 'signal.failed', 'signal.cancelled', 'signal.timeout', 'signal.wrap-up')))
RETURNING id
