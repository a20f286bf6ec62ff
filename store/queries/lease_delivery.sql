UPDATE delivery SET lease = :by, lease_ms = :lease_ms, tried_ms = :at_ms, attempts = attempts + 1, unsure = :unsure
WHERE id = :id AND state = 'waiting'
