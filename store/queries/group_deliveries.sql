-- What came in one storm goes out as one message to each sink, that of the first.
UPDATE delivery SET state = 'grouped', into_id = (
    SELECT min(h.id) FROM delivery AS h JOIN json_each(:events) AS j ON j.value = h.event_id
    WHERE h.sink = delivery.sink)
WHERE event_id IN (SELECT value FROM json_each(:events)) AND state = 'waiting'
    AND id > (SELECT min(h.id) FROM delivery AS h JOIN json_each(:events) AS j ON j.value = h.event_id
        WHERE h.sink = delivery.sink)
