-- What was delivered long ago. The signals themselves stay in the log.
DELETE FROM delivery WHERE id IN (
    SELECT d.id FROM delivery AS d LEFT JOIN delivery AS h ON h.id = d.into_id
    WHERE d.ended_ms < :before_ms AND d.state = 'delivered' AND NOT EXISTS (SELECT 1 FROM delivery AS m WHERE m.into_id = d.id)
        OR h.ended_ms < :before_ms AND h.state = 'delivered'
    LIMIT 1000)
