UPDATE step SET state = 'running', epoch = :epoch, expect_ms = :expect_ms, name = coalesce(:name, name)
WHERE run_id = :run_id AND pos = :pos
