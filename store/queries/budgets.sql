-- The budgets of the steps of the named runs that are running with one.
SELECT s.run_id, s.expect_event, s.expect_at_ms, s.expect_ms
FROM json_each(:runs) AS j
CROSS JOIN step AS s INDEXED BY step_with_a_budget ON s.run_id = j.value
WHERE s.expect_ms IS NOT NULL AND s.state = 'running'
