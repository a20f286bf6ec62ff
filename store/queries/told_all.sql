-- The same of every run, in one pass over the index of the signals.
SELECT run_id, epoch, CAST(kind AS BLOB), max(since), max(id)
FROM event INDEXED BY a_signal_is_said_once_an_episode
WHERE since IS NOT NULL
GROUP BY run_id, epoch, kind
