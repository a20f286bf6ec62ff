UPDATE step SET name = :name, epoch = :epoch
WHERE run_id = :run_id AND pos = :pos AND name IS NOT :name
