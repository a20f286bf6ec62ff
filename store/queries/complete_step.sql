UPDATE step SET state = 'done', epoch = :epoch, note = coalesce(:note, note), name = coalesce(:name, name)
WHERE run_id = :run_id AND pos = :pos AND finished_ms IS NULL
