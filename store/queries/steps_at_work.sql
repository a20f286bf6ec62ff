-- The steps of a run that are running, the lowest first, then those that
-- failed and were not begun again.
SELECT pos, name, state, attempts, failures, begun_ms, expect_ms, mark_high, mark_of, last_event, substr(note, 1, 4096)
FROM step
WHERE run_id = :run_id AND state IN ('running', 'failed')
ORDER BY state DESC, pos
LIMIT :limit
