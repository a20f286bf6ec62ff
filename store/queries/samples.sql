-- Where a run stood at the events of it that have a landmark, oldest first.
SELECT m.event_id, m.awake_ms,
    (SELECT e.position FROM event AS e
        WHERE e.run_id = m.run_id AND e.id <= m.event_id AND e.position IS NOT NULL AND e.kind <> 'run.total'
        ORDER BY e.id DESC LIMIT 1),
    (SELECT e.total FROM event AS e
        WHERE e.run_id = m.run_id AND e.id <= m.event_id AND e.total IS NOT NULL
        ORDER BY e.id DESC LIMIT 1)
FROM landmark AS m
WHERE m.run_id = :run_id
ORDER BY m.event_id
