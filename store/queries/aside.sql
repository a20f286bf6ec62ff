INSERT INTO event (run_id, epoch, kind, who, reason, data, source)
SELECT id, epoch, :kind, :who, :reason, :data, :source FROM run WHERE id = :run_id
