-- A run that recovered before anybody heard that it had stalled. One message
-- says both, and what came between goes with it.
UPDATE delivery SET state = 'merged', into_id = :id
WHERE sink = :sink AND state = 'waiting' AND id > :id AND lease IS NULL
    AND id IN (
        SELECT d.id
        FROM delivery AS h
        JOIN event AS s ON s.id = h.event_id AND s.kind = 'signal.stalled'
        JOIN delivery AS d ON d.sink = h.sink AND d.run_id = h.run_id AND d.id > h.id
        JOIN event AS e ON e.id = d.event_id AND e.epoch = s.epoch AND e.since = s.since
            AND (e.kind = 'signal.escalated' OR e.kind = 'signal.recovered')
        WHERE (h.id = :id OR h.into_id = :id AND h.state = 'grouped')
            AND EXISTS (SELECT 1 FROM delivery AS r JOIN event AS x ON x.id = r.event_id
                WHERE r.sink = h.sink AND r.run_id = h.run_id AND r.id > h.id AND r.state = 'waiting'
                    AND x.kind = 'signal.recovered' AND x.epoch = s.epoch AND x.since = s.since))
