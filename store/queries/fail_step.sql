UPDATE step SET state = 'failed', epoch = :epoch, note = coalesce(:note, note), name = coalesce(:name, name)
WHERE run_id = :run_id AND pos = :pos
