-- Where the budget ran out that a row of the log has ended, by the landmark of
-- the row that declared it.
SELECT m.awake_ms + b.for_ms
FROM event AS e
JOIN landmark AS m ON m.run_id = e.run_id
JOIN event AS b ON b.id = m.event_id
WHERE e.id = :event
    AND b.kind = 'step.begun' AND b.step = e.step AND b.for_ms IS NOT NULL AND b.id < e.id
ORDER BY b.id DESC
LIMIT 1
