INSERT INTO event (run_id, epoch, kind, step, reason, source)
SELECT :run_id, :epoch, 'refused', :step, :reason, :source
WHERE EXISTS (SELECT 1 FROM run WHERE id = :run_id)
    AND NOT EXISTS (
        SELECT 1 FROM (
            SELECT epoch, kind, step, at_ms FROM event
            WHERE run_id = :run_id ORDER BY id DESC LIMIT 64) AS e
        WHERE e.kind = 'refused' AND e.at_ms > :after_ms AND e.epoch = :epoch AND e.step IS :step)
    AND 32 > (
        SELECT count(*) FROM (
            SELECT kind, at_ms FROM event
            WHERE run_id = :run_id ORDER BY id DESC LIMIT 64) AS e
        WHERE e.kind = 'refused' AND e.at_ms > :after_ms)
