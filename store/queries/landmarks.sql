-- Where the events that the named runs are judged by lie on the awake clock.
SELECT m.run_id, m.event_id, m.awake_ms
FROM json_each(:runs) AS j
CROSS JOIN landmark AS m ON m.run_id = j.value
ORDER BY m.event_id
