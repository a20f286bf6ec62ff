INSERT INTO event (run_id, epoch, kind, total, open, source)
VALUES (:run_id, :epoch, 'run.total', :total, :open, :source)
