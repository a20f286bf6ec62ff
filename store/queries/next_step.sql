SELECT s.pos, s.name, s.attempts
FROM cursor AS c JOIN step AS s ON s.run_id = c.run_id AND s.pos >= c.todo
WHERE c.run_id = :run_id
    AND s.finished_ms IS NULL
    AND (s.state <> 'running' OR s.epoch < :epoch)
    AND (c.open = 1 OR c.total IS NULL OR s.pos <= c.total)
ORDER BY s.pos LIMIT 1
