-- One edge of an episode, once. When no row comes back another monitor said it.
INSERT INTO event (at_ms, run_id, epoch, kind, since, source, reason, data)
VALUES (:at_ms, :run_id, :epoch, :kind, :since, 'monitor', :reason, :data)
ON CONFLICT DO NOTHING
RETURNING id
