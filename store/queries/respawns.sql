-- A respawn names the position from which it went on, so those that name the
-- present one led to nothing.
SELECT count(*)
FROM cursor AS c
JOIN event AS e INDEXED BY a_signal_is_said_once_an_episode
    ON e.run_id = c.run_id AND e.kind = 'signal.respawned' AND e.position >= c.position AND e.since IS NOT NULL
WHERE c.run_id = :run_id
