-- Where events lie on the awake clock; the first look that placed one is
-- believed. What the clock on record has not reached is left to the next look.
INSERT INTO landmark (event_id, run_id, awake_ms)
SELECT e.id, e.run_id, json_extract(j.value, '$[2]')
FROM json_each(:landmarks) AS j
JOIN event AS e ON e.id = json_extract(j.value, '$[0]') AND e.run_id = json_extract(j.value, '$[1]')
WHERE NOT EXISTS (SELECT 1 FROM landmark WHERE event_id = e.id)
    AND e.id <= (SELECT max(look_event) FROM clock)
    AND json_extract(j.value, '$[2]') BETWEEN 0 AND (SELECT max(look_awake_ms) FROM clock)
