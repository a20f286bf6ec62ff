SELECT s.pos, s.name, s.attempts
FROM step AS s JOIN cursor AS c ON c.run_id = s.run_id
WHERE s.run_id = :run_id
    AND s.state IN ('pending', 'running', 'failed')
    AND (s.state <> 'running' OR s.epoch < :epoch)
    AND (c.open = 1 OR c.total IS NULL OR s.pos <= c.total)
ORDER BY s.pos LIMIT 1
