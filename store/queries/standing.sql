-- The signals that stand, the last of its kind of each run, with what took it
-- back, if something did. A failure stands until the run is continued or a
-- person has dealt with it.
WITH s AS (
    SELECT run_id, kind, max(id) AS id
    FROM event INDEXED BY a_signal_is_said_once_an_episode
    WHERE since IS NOT NULL AND (kind = 'signal.stalled' OR kind = 'signal.failed' OR kind = 'signal.timeout' OR kind = 'signal.gave-up')
    GROUP BY run_id, kind
), t AS (
    SELECT s.id, (SELECT x.id FROM event AS x
        WHERE x.run_id = s.run_id AND x.id > s.id AND (x.kind = 'signal.done' OR x.kind = 'signal.cancelled'
            OR x.kind = 'signal.recovered' AND s.kind = 'signal.stalled'
            OR x.kind = 'signal.failed' AND s.kind <> 'signal.failed' AND s.kind <> 'signal.gave-up'
            OR x.kind = 'run.takeover' AND (s.kind = 'signal.failed' OR s.kind = 'signal.gave-up'))
        ORDER BY x.id LIMIT 1) AS over
    FROM s
)
SELECT e.id, e.at_ms, e.run_id, r.family, e.epoch, substr(e.kind, 8), e.since, coalesce(e.reason, ''), coalesce(e.data, ''), o.at_ms,
    EXISTS (SELECT 1 FROM event AS x WHERE x.run_id = e.run_id AND x.epoch = e.epoch AND x.kind = 'signal.escalated' AND x.since = e.since)
FROM t JOIN event AS e ON e.id = t.id JOIN run AS r ON r.id = e.run_id LEFT JOIN event AS o ON o.id = t.over
WHERE o.id IS NULL OR o.at_ms >= :after_ms
ORDER BY e.id
