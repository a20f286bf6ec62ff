SELECT id, at_ms, CAST(run_id AS BLOB), epoch, CAST(kind AS BLOB), step, attempt, advance, position, total, open,
    amount, out_of, for_ms, code, signal, since, CAST(source AS BLOB), CAST(reason AS BLOB), CAST(who AS BLOB), data
FROM event
WHERE run_id = :run_id AND id > :since AND (since IS NOT NULL OR kind = 'run.stop')
ORDER BY id
