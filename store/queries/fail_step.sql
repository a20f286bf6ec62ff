UPDATE step SET state = 'failed', epoch = :epoch, note = coalesce(:note, note)
WHERE run_id = :run_id AND pos = :pos
