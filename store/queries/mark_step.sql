UPDATE step SET mark_amount = :amount, mark_of = :of, epoch = :epoch
WHERE run_id = :run_id AND pos = :pos AND state = 'running'
