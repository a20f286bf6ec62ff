INSERT INTO event (run_id, epoch, kind, reason, source)
VALUES (:run_id, :epoch, 'note', :reason, :source)
