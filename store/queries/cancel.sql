INSERT INTO event (run_id, epoch, kind, who, reason, source)
SELECT id, epoch, 'run.cancelled', :who, :reason, 'user' FROM run WHERE id = :run_id
