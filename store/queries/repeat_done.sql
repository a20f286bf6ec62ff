INSERT INTO event (run_id, epoch, kind, step, attempt, position, total, reason)
SELECT s.run_id, :epoch, 'step.done', s.pos, s.attempts, c.position, c.total, :note
FROM step AS s JOIN cursor AS c ON c.run_id = s.run_id
WHERE s.run_id = :run_id AND s.pos = :pos AND s.state = 'done'
