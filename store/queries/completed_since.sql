SELECT id, run_id, step, position FROM event WHERE id > :after AND kind = 'step.done' ORDER BY id
