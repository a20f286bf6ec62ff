-- A signal for each sink that wants it. Who was told that a run stalled is told
-- that it recovered, whatever state it is in by then.
INSERT INTO delivery (sink, event_id, run_id, queued_ms)
SELECT s.name, e.id, e.run_id, e.at_ms
FROM event AS e CROSS JOIN sink AS s
WHERE e.id = :event AND e.kind >= 'signal.' AND e.kind < 'signal/'
    AND (s.families = '[]' OR EXISTS (SELECT 1 FROM json_each(s.families) AS j JOIN run AS r ON r.id = e.run_id WHERE j.value = r.family))
    AND (s.kinds = '[]' OR EXISTS (SELECT 1 FROM json_each(s.kinds) AS j WHERE j.value = substr(e.kind, 8)))
    AND (s.states = '[]' OR EXISTS (SELECT 1 FROM json_each(s.states) AS j WHERE j.value = json_extract(e.data, '$.state'))
        OR e.kind = 'signal.recovered' AND EXISTS (SELECT 1 FROM delivery AS d JOIN event AS x ON x.id = d.event_id
            WHERE d.sink = s.name AND d.run_id = e.run_id AND x.kind = 'signal.stalled' AND x.epoch = e.epoch AND x.since = e.since))
ORDER BY s.name
