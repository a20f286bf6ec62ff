UPDATE step SET state = 'done', epoch = j.value ->> 2
FROM json_each(:steps) AS j
WHERE step.run_id = j.value ->> 0 AND step.pos = j.value ->> 1 AND step.finished_ms IS NULL
