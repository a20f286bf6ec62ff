-- The step that a row of the log is about.
SELECT s.pos, s.name, s.state, s.attempts, s.failures, s.begun_ms, s.expect_ms, s.mark_high, s.mark_of, s.last_event,
    substr(s.note, 1, 4096)
FROM event AS e
JOIN step AS s ON s.run_id = e.run_id AND s.pos = e.step
WHERE e.id = :event
