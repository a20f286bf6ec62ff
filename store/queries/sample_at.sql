-- Where a run stood once the row with this id, or the one before, was written.
SELECT id, at_ms,
    (SELECT e.position FROM event AS e
        WHERE e.run_id = :run_id AND e.id <= :event AND e.position IS NOT NULL AND e.kind <> 'run.total'
        ORDER BY e.id DESC LIMIT 1),
    (SELECT e.total FROM event AS e
        WHERE e.run_id = :run_id AND e.id <= :event AND e.total IS NOT NULL
        ORDER BY e.id DESC LIMIT 1)
FROM event
WHERE run_id = :run_id AND id <= :event
ORDER BY id DESC
LIMIT 1
