SELECT s.name, s.families, s.kinds, s.states, s.monitor, s.failures, s.tried_ms, s.pause_ms,
    m.id IS NOT NULL AND m.stopped_ms IS NULL AND m.last_look_ms + m.late_ms >= :at_ms AND m.last_look_ms - m.late_ms <= :at_ms
FROM sink AS s LEFT JOIN monitor AS m ON m.id = s.monitor
ORDER BY s.name
