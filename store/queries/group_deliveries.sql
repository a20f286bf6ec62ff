-- What came in one storm goes out as one message to each sink, that of the first.
WITH head (sink, id) AS MATERIALIZED (
    SELECT h.sink, min(h.id) FROM json_each(:events) AS j CROSS JOIN delivery AS h ON h.event_id = j.value GROUP BY h.sink
)
UPDATE delivery SET state = 'grouped', into_id = head.id
FROM head
WHERE delivery.sink = head.sink AND delivery.id > head.id AND delivery.state = 'waiting'
    AND delivery.event_id IN (SELECT value FROM json_each(:events))
