UPDATE delivery SET state = :state, lease = NULL, lease_ms = 0, tried_ms = :at_ms, wait_ms = :wait_ms, spent_ms = spent_ms + :wait_ms,
    unsure = max(unsure, :unsure), answer = :answer, ended_ms = CASE WHEN :state <> 'waiting' THEN :at_ms END
WHERE id = :id AND state = 'waiting' AND lease = :by
