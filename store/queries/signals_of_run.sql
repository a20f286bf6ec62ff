-- The newest signals of one run, newest first, by the index that makes them
-- unique.
SELECT id, at_ms, CAST(run_id AS BLOB), epoch, CAST(kind AS BLOB), step, attempt, advance, position, total, open,
    amount, out_of, for_ms, code, signal, since, CAST(source AS BLOB), CAST(reason AS BLOB), CAST(who AS BLOB), data
FROM event INDEXED BY a_signal_is_said_once_an_episode
WHERE run_id = :run_id AND since IS NOT NULL AND id > :since
ORDER BY id DESC
LIMIT :limit
