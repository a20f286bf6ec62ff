UPDATE sink SET failures = CASE WHEN :failed THEN failures + 1 ELSE 0 END, tried_ms = :at_ms, pause_ms = :pause_ms
WHERE name = :sink
