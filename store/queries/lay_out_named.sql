INSERT INTO step (run_id, pos, name, epoch) VALUES (:run_id, :pos, :name, :epoch)
