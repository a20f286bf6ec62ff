SELECT d.id, d.sink, d.state, d.run_id, e.id, substr(e.kind, 8), e.epoch, e.since, d.into_id, d.queued_ms, d.attempts, d.tried_ms, d.wait_ms,
    d.ended_ms, d.lease IS NOT NULL, coalesce(d.answer, '')
FROM delivery AS d JOIN event AS e ON e.id = d.event_id
WHERE (:sink = '' OR d.sink = :sink) AND (:all OR d.state = 'waiting' OR d.state = 'dead'
    OR d.into_id IN (SELECT id FROM delivery WHERE state = 'waiting' OR state = 'dead'))
ORDER BY d.id LIMIT :limit
