INSERT INTO event (run_id, epoch, kind, since, position, total, reason, data, source)
SELECT run_id, :epoch, :kind, :since, position, total, :reason, :data, 'wrapper' FROM cursor WHERE run_id = :run_id
ON CONFLICT DO NOTHING
