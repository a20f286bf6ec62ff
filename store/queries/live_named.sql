SELECT run_id FROM cursor WHERE live = 1 AND run_id >= :prefix AND run_id < :prefix || '{' ORDER BY run_id LIMIT :limit
