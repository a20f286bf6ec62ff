INSERT INTO step (run_id, pos, name, state, epoch, expect_ms, mark_amount, mark_of, note)
VALUES (:run_id, :pos, :name, :state, :epoch, :expect_ms, :amount, :of, :note)
