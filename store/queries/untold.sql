-- The runs that ended and of whose end the log does not tell.
SELECT substr(CAST(c.run_id AS BLOB), 1, 256) FROM cursor AS c
WHERE c.live = 0 AND NOT EXISTS (SELECT 1 FROM event AS e
    WHERE e.run_id = c.run_id AND e.epoch = c.epoch AND e.since IS NOT NULL
        AND (e.kind = 'signal.done' OR e.kind = 'signal.failed' OR e.kind = 'signal.cancelled'))
