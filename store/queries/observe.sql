INSERT INTO event (run_id, epoch, kind, position, total, source)
VALUES (:run_id, :epoch, 'cursor', :position, :total, :source)
