UPDATE step SET state = 'running', epoch = :epoch, expect_ms = :expect_ms
WHERE run_id = :run_id AND pos = :pos
