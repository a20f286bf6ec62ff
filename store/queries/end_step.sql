UPDATE step SET state = :state, epoch = :epoch, name = coalesce(:name, name)
WHERE run_id = :run_id AND pos = :pos
