SELECT run_id, pos, state, attempts, failures, mark_amount, mark_of, mark_high,
    first_begun_ms, begun_ms, finished_ms, last_event
FROM step
