INSERT INTO event (run_id, epoch, kind, source)
VALUES (:run_id, :epoch, 'resume', :source)
