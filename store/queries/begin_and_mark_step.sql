UPDATE step SET state = 'running', mark_amount = :amount, mark_of = :of, epoch = :epoch, name = coalesce(:name, name)
WHERE run_id = :run_id AND pos = :pos
