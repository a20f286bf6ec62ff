-- Of each kind of signal, and of the ping, the last one that was told in each
-- epoch of a run. Ids grow with the episodes, so the largest of both are of one
-- row.
SELECT run_id, epoch, CAST(kind AS BLOB), max(since), max(id)
FROM event INDEXED BY a_signal_is_said_once_an_episode
WHERE run_id = :run_id AND since IS NOT NULL
GROUP BY run_id, epoch, kind
