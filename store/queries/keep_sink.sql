INSERT INTO sink (name, families, kinds, states, monitor, since_ms)
VALUES (:name, :families, :kinds, :states, :monitor, :at_ms)
ON CONFLICT (name) DO UPDATE SET families = excluded.families, kinds = excluded.kinds, states = excluded.states,
    monitor = excluded.monitor, failures = 0, pause_ms = 0
