-- The signals that go out in one message, the one that gave it its name first.
SELECT e.id, e.at_ms, e.run_id, r.family, e.epoch, substr(e.kind, 8), e.since, coalesce(e.reason, ''), coalesce(e.data, ''),
    (SELECT s.at_ms FROM event AS s WHERE s.run_id = e.run_id AND s.epoch = e.epoch AND s.kind = 'signal.stalled' AND s.since = e.since)
FROM delivery AS d JOIN event AS e ON e.id = d.event_id JOIN run AS r ON r.id = e.run_id
WHERE d.id = :id OR d.into_id = :id
ORDER BY d.id
LIMIT :limit
