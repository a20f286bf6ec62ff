SELECT sink, state, count(*), min(queued_ms) FROM delivery GROUP BY sink, state ORDER BY sink, state
