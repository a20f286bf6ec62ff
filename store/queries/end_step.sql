UPDATE step SET state = :state, epoch = :epoch
WHERE run_id = :run_id AND pos = :pos
