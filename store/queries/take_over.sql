UPDATE run SET epoch = epoch + 1
WHERE id = :run_id AND (epoch = :from_epoch OR :from_epoch = 0)
