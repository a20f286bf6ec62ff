INSERT INTO event (run_id, epoch, kind, total, open, source)
VALUES (:run_id, :epoch, 'run.total', :total, coalesce(:open, (SELECT open FROM cursor WHERE run_id = :run_id)), :source)
