SELECT c.total, c.open, c.epoch, c.frontier,
    coalesce((SELECT pos FROM step WHERE run_id = c.run_id ORDER BY pos DESC LIMIT 1), 0) AS last_pos
FROM cursor AS c WHERE c.run_id = :run_id
