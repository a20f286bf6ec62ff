-- Where events lie on the awake clock; the first look that placed one is
-- believed.
INSERT INTO landmark (event_id, run_id, awake_ms)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]')
FROM json_each(:landmarks) AS j
WHERE true
ON CONFLICT DO NOTHING
