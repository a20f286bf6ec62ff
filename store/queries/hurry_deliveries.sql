-- The sink is back. What it did not take before need not wait out its time.
UPDATE delivery SET wait_ms = 0 WHERE sink = :sink AND state = 'waiting' AND lease IS NULL
