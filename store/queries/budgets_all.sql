-- The budgets of all steps that are running with one.
SELECT run_id, expect_event, expect_at_ms, expect_ms
FROM step INDEXED BY step_with_a_budget
WHERE expect_ms IS NOT NULL AND state = 'running'
