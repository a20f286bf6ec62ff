UPDATE step SET state = 'done', epoch = :epoch, note = :note
WHERE run_id = :run_id AND pos = :pos AND finished_ms IS NULL
