-- What is to be sent to a sink now. It is its turn, and nobody is at it. A clock that
-- was set back makes nothing wait longer. Within a run order is kept, also
-- against what goes out in another message, and all runs of a group wait for
-- what came before it.
SELECT d.id, d.event_id, d.attempts, d.spent_ms, d.unsure OR d.lease IS NOT NULL
FROM delivery AS d INDEXED BY delivery_waiting
WHERE d.sink = :sink AND d.state = 'waiting'
    AND (d.lease IS NULL OR :at_ms >= d.tried_ms + d.lease_ms OR :at_ms < d.tried_ms)
    AND (d.lease IS NOT NULL OR :at_ms >= d.tried_ms + d.wait_ms OR :at_ms < d.tried_ms)
    AND NOT EXISTS (SELECT 1 FROM sink AS s WHERE s.name = :sink
        AND :at_ms >= s.tried_ms AND :at_ms < s.tried_ms + s.pause_ms)
    AND NOT EXISTS (
        SELECT 1 FROM delivery AS e INDEXED BY delivery_of_run JOIN delivery AS h ON h.id = coalesce(e.into_id, e.id)
        WHERE e.sink = :sink AND e.run_id = d.run_id AND e.id < d.id AND h.state = 'waiting' AND h.id <> d.id)
    AND NOT EXISTS (
        SELECT 1 FROM delivery AS m INDEXED BY delivery_into
        CROSS JOIN delivery AS e INDEXED BY delivery_of_run ON e.sink = :sink AND e.run_id = m.run_id
        CROSS JOIN delivery AS h ON h.id = coalesce(e.into_id, e.id)
        WHERE m.into_id = d.id AND e.id < d.id AND h.state = 'waiting' AND h.id <> d.id)
ORDER BY d.attempts, d.id
LIMIT 1
