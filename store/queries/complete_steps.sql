WITH stretch (run_id, first, last, epoch) AS MATERIALIZED (
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:stretches)
)
UPDATE step SET state = 'done', epoch = stretch.epoch
FROM stretch
WHERE step.run_id = stretch.run_id AND step.pos BETWEEN stretch.first AND stretch.last AND step.finished_ms IS NULL
